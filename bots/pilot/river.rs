//! The river as numbers: spaces, one push of the discs, a canoe's way up or down.

pub const JETTY: usize = 0;
pub const FORK: usize = 5;
const L6: usize = 6;
const R6: usize = 7;
const L7: usize = 8;
const R7: usize = 9;
pub const LOST: usize = 10;
/// Where a whirlpool is that is not on the board.
pub const OFF: usize = 11;

pub fn read(name: &str) -> usize {
    match name {
        "jetty" => JETTY,
        "lost" => LOST,
        "6L" => L6,
        "6R" => R6,
        "7L" => L7,
        "7R" => R7,
        _ => name.parse().unwrap_or(OFF),
    }
}

pub fn afloat(space: usize) -> bool {
    JETTY < space && space < LOST
}

/// The place beside a space, numbered like the gems: amethyst 0 ... ruby 4.
pub fn place(space: usize) -> Option<usize> {
    match space {
        3..=5 => Some(space - 3),
        L6 | R6 => Some(3),
        L7 | R7 => Some(4),
        _ => None,
    }
}

/// One space down; `right` picks the arm at the fork.
fn down(space: usize, right: bool) -> usize {
    match space {
        FORK => L6 + right as usize,
        L6 | R6 => space + 2,
        L7 | R7 | LOST => LOST,
        _ => space + 1,
    }
}

fn up(space: usize) -> usize {
    match space {
        L6 | R6 => FORK,
        L7 | R7 => space - 2,
        _ => space - 1,
    }
}

/// Where a canoe drifts when the river pushes `speed` discs [N-6.2].
pub fn flow(mut space: usize, speed: usize, mut right: bool) -> usize {
    for _ in 0..speed {
        if afloat(space) && (space <= FORK || (space == R6 || space == R7) == right) {
            space = down(space, right);
        }
        right = !right;
    }
    space
}

/// Where a canoe ends that goes down `points` spaces, dragged by the whirlpool [N-9.2].
pub fn paddle_down(mut space: usize, points: usize, right: bool, whirlpool: usize) -> usize {
    for _ in 0..points {
        space = down(space, right);
    }
    if space == whirlpool {
        down(space, right)
    } else {
        space
    }
}

/// Where a canoe ends that goes up with `points`, dragged back by the whirlpool [N-9.3].
pub fn paddle_up(mut space: usize, points: usize, right: bool, whirlpool: usize) -> usize {
    let mut used = 0;
    while used < points && space != JETTY {
        if space == whirlpool {
            used += 1; // a point more inside it
            if used == points {
                break;
            }
        }
        space = up(space);
        used += 1;
    }
    if space == whirlpool {
        down(space, right)
    } else {
        space
    }
}

/// The ends of a move with so many points, with how many gems are loaded at its start and its end.
pub fn moves(
    at: usize,
    room: usize,
    points: usize,
    right: bool,
    whirlpool: usize,
    mut found: impl FnMut(Move),
) {
    for first in 0..=room.min(points / 2) {
        if first > 0 && place(at).is_none() {
            break;
        }
        let left = points - 2 * first;
        if left == 0 {
            found(Move { to: at, first, last: 0, upward: false });
        }
        for last in 0..=room - first {
            if 2 * last >= left {
                break;
            }
            let way = left - 2 * last;
            let mut end = |to: usize, upward: bool| {
                if last == 0 || place(to).is_some() {
                    found(Move { to, first, last, upward });
                }
            };
            if at != JETTY {
                end(paddle_up(at, way, right, whirlpool), true);
            }
            end(paddle_down(at, way, false, whirlpool), false);
            if at <= FORK && at + way > FORK {
                end(paddle_down(at, way, true, whirlpool), false);
            }
        }
    }
}

pub struct Move {
    pub to: usize,
    pub first: usize,
    pub last: usize,
    pub upward: bool,
}
