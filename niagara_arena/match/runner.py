"""Play a match: one table, its games in order, each bot one process through all of them.

Laws kept here:

- A process lives through all games of its match; one that was retired or died is started anew for
  the next game, one that could not start is not tried again.
- Every game that began gives a record, also one that our side spoiled: it is void, and no bot's
  loss. Finished games are handed out at once, so an interrupt costs only the game under way.
- Whatever happens, no process of the match is left when `play_match` returns or raises.
"""

from __future__ import annotations

import gc
import os
import platform
import time
import traceback
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from msgspec import UNSET, structs

from niagara_arena import __version__
from niagara_arena.errors import ArenaError, InputError
from niagara_arena.match.bot import Bot
from niagara_arena.match.table import HostOverload, Table
from niagara_arena.match.watching import Watcher
from niagara_arena.records import (
    RECORD_FORMAT,
    Fault,
    GameHeader,
    GameJob,
    GameRecord,
    MatchJob,
    Measured,
    Seat,
    Settings,
    Void,
)
from niagara_arena.referee import Ask, Done, FaultReport, Referee, Tell
from niagara_arena.rules import RULES_VERSION
from niagara_arena.sandbox import Backend, Launch, Lost
from niagara_arena.schedule.seeds import bot_seed
from niagara_arena.submissions.runtimes import runtime_digest
from niagara_arena.wire.messages import QUIT_LINE, hello_line

QUIT_GRACE_MS: Final = 500
"""How long a bot may take to exit after `quit`, before it is killed."""

_GARBAGE: Final = 50_000
"""How many objects are made before Python looks for garbage that refers to itself. A match makes
next to none, and by its default Python would look after every 700."""

_DECISIONS_A_GAME: Final = 1_000
"""Room for increments in the CPU limit of a whole process."""


class Contestant(NamedTuple):
    """Say how to start one entrant of a match."""

    submission: str
    name: str
    version: str
    params: dict[str, object]
    launch: Launch
    refusal: FaultReport | None = None
    """Why it can't be started at all, as when its build failed."""


def play_match(
    job: MatchJob,
    contestants: Sequence[Contestant],
    backend: Backend,
    *,
    core: int | None = None,
    watcher: Watcher | None = None,
    on_game: Callable[[GameRecord], None] | None = None,
) -> list[GameRecord]:
    """Play all games of a match and return their records, in order.

    ``on_game`` gets each record as soon as the game is over. A KeyboardInterrupt voids the game
    under way, hands its record out, ends all processes, and goes on to the caller.
    """
    match = _Match(job, contestants, backend, core, watcher)
    records: list[GameRecord] = []
    thresholds = gc.get_threshold()
    gc.set_threshold(_GARBAGE, *thresholds[1:])
    try:
        for game in job.games:
            record, interrupt = match.play(game)
            records.append(record)
            if on_game is not None:
                on_game(record)
            if interrupt is not None:
                raise interrupt
        match.quit()
    finally:
        gc.set_threshold(*thresholds)
        match.close()
    return records


class _Match:
    """One match under way."""

    def __init__(
        self,
        job: MatchJob,
        contestants: Sequence[Contestant],
        backend: Backend,
        core: int | None,
        watcher: Watcher | None,
    ) -> None:
        self._job = job
        self._contestants = [
            contestant._replace(launch=_limited(contestant.launch, job, core))
            for contestant in contestants
        ]
        self._backend = backend
        self._watcher = watcher
        self._table = Table(job.settings.clock, job.settings.freeze)
        self._bots: list[Bot | None] = [None] * len(contestants)
        self._refusals: list[FaultReport | None] = [c.refusal for c in contestants]
        self._last_ids = [0] * len(contestants)
        self._runtimes = [
            {one.name: runtime_digest(one) for one in contestant.launch.runtimes}
            for contestant in contestants
        ]

    # --- One game ------------------------------------------------------------------------------

    def play(self, game: GameJob) -> tuple[GameRecord, BaseException | None]:
        """Play one game; return its record, and the interrupt that spoiled it, if one did."""
        header = self._header(game)
        started = datetime.now(UTC)
        clock_ns = time.monotonic_ns()
        interrupt: BaseException | None = None
        trouble = ""
        spoiled: tuple[Void, str] | None = None
        absent: dict[int, FaultReport] = {}
        referee: Referee | None = None
        try:
            absent = self._start(game)
            referee = Referee(header, [self._last_ids[i] for i in game.seating], absent)
            end = self._drive(referee, game)
        except HostOverload as overload:
            spoiled = (Void.HOST, str(overload))
        except Lost as lost:
            spoiled = (Void.KILLED, lost.message)
            self._give_up_all(lost.message)
        except KeyboardInterrupt as stop:
            spoiled, interrupt = (Void.INTERRUPT, "the match was interrupted"), stop
        except ArenaError:
            raise
        except Exception as error:
            spoiled = (Void.INTERNAL, f"an internal error: {type(error).__name__}")
            trouble = traceback.format_exc()
        if spoiled is not None:
            referee = referee or Referee(header, [self._last_ids[i] for i in game.seating], absent)
            end = self._spoil(referee, game, *spoiled, quietly=interrupt is not None)
        assert referee is not None
        for index, last in zip(game.seating, referee.last_ids(), strict=True):
            self._last_ids[index] = last
        measured = self._measured(referee, game, trouble)
        measured = structs.replace(
            measured,
            started=started.isoformat(timespec="milliseconds"),
            duration_ms=(time.monotonic_ns() - clock_ns) // 1_000_000,
        )
        record = GameRecord(header, end.rounds, end.end, measured)
        if self._watcher is not None:
            early = [(None, report) for report in absent.values()]
            self._watcher.game_ended(record, [*early, *referee.incidents])
        return record, interrupt

    def _drive(self, referee: Referee, game: GameJob) -> Done:
        """Carry out what the referee says until the game is over."""
        table = self._table
        bots = [self._bots[index] for index in game.seating]
        watcher = self._watcher
        seen = rulings = 0
        if watcher is not None:
            seen = len(referee.events)
            watcher.game_started(referee.header, referee.state, referee.events)
        while True:
            step = referee.next_step()
            if isinstance(step, Ask):
                questions = [(_there(bots[request.seat]), request) for request in step.requests]
                referee.answer(table.ask(questions))
                if watcher is not None:
                    watcher.stepped(
                        referee.state,
                        referee.events[seen:],
                        referee.bank_ms(),
                        referee.rulings[rulings:],
                    )
                    seen, rulings = len(referee.events), len(referee.rulings)
            elif isinstance(step, Tell):
                self._tell(step, bots, game)
            else:
                table.rest()
                return step

    def _tell(self, step: Tell, bots: Sequence[Bot | None], game: GameJob) -> None:
        for seat, line in step.messages:
            self._table.tell(_there(bots[seat]), line)
        for seat in step.retired:
            bot = bots[seat]
            if bot is not None and bot.ended is None:
                bot.end(FaultReport(Fault.CRASH, "retired", "was retired by the referee"))

    def _spoil(
        self, referee: Referee, game: GameJob, why: Void, sentence: str, *, quietly: bool
    ) -> Done:
        """Void the game; unless everything ends anyway, tell the bots."""
        referee.void(why, sentence)
        bots = [self._bots[index] for index in game.seating]
        while not isinstance(step := referee.next_step(), Done):
            if isinstance(step, Tell) and not quietly:
                reachable = [(seat, line) for seat, line in step.messages if bots[seat] is not None]
                self._tell(Tell(tuple(reachable), step.retired), bots, game)
        return step

    # --- Processes -----------------------------------------------------------------------------

    def _start(self, game: GameJob) -> dict[int, FaultReport]:
        """Start the processes that this game needs and lacks; return by seat who can't play."""
        fresh: list[tuple[int, Bot, int]] = []
        for index in game.seating:
            bot = self._bots[index]
            if bot is not None and bot.trouble() is not None:
                self._table.remove(bot)
                bot = self._bots[index] = None
            if bot is not None:
                bot.spare = 0
                continue
            if self._refusals[index] is None:
                self._launch(index, fresh)
        self._table.greet(
            [bot for _, bot, _ in fresh], hello_line(__version__), [t for *_, t in fresh]
        )
        for index, bot, _ in fresh:
            if bot.ended is not None:
                self._refusals[index] = bot.ended
        return {
            seat: refusal
            for seat, index in enumerate(game.seating)
            if (refusal := self._refusals[index]) is not None
        }

    def _launch(self, index: int, fresh: list[tuple[int, Bot, int]]) -> None:
        began = time.monotonic_ns()
        try:
            process = self._backend.start(self._contestants[index].launch)
        except InputError as error:  # its own file is no program that runs here
            sentence = f"could not be started: {error.message}"
            self._refusals[index] = FaultReport(Fault.STARTUP, "exec", sentence)
            return
        bot = Bot(process)
        self._bots[index] = bot
        self._last_ids[index] = 0
        self._table.add(bot)
        fresh.append((index, bot, began))

    def _give_up_all(self, why: str) -> None:
        """Take every process for lost, so that the next game starts them anew."""
        for bot in self._bots:
            if bot is not None:
                bot.end(FaultReport(Fault.CRASH, "lost", why))

    def quit(self) -> None:
        """Ask all processes to exit, and give them a moment."""
        bots = [bot for bot in self._bots if bot is not None and bot.ended is None]
        for bot in bots:
            self._table.tell(bot, QUIT_LINE)
            bot.thaw()
        self._table.settle(bots, QUIT_GRACE_MS)

    def close(self) -> None:
        """End every process of the match."""
        for index, bot in enumerate(self._bots):
            if bot is not None:
                self._bots[index] = None
                self._table.remove(bot)

    # --- Records -------------------------------------------------------------------------------

    def _header(self, game: GameJob) -> GameHeader:
        seats = tuple(
            Seat(
                contestant.submission,
                contestant.name,
                contestant.version,
                dict(contestant.params),
                bot_seed(game.seed, seat),
                self._runtimes[index] or UNSET,
            )
            for seat, (index, contestant) in enumerate(
                [(index, self._contestants[index]) for index in game.seating]
            )
        )
        return GameHeader(
            RECORD_FORMAT,
            __version__,
            RULES_VERSION,
            game.game,
            self._job.match,
            seats,
            game.seed,
            self._job.settings,
            self._backend.level,
            game.opening,
            game.position,
        )

    def _measured(self, referee: Referee, game: GameJob, trouble: str) -> Measured:
        bots = [self._bots[index] for index in game.seating]
        for bot in bots:
            if bot is not None:
                bot.drain_stderr()
        return Measured(
            cpu_us=tuple(referee.cpu_us),
            wall_us=tuple(referee.wall_us),
            wait_us=tuple(referee.wait_us),
            notes=referee.notes,
            data=referee.data,
            evidence=tuple(referee.evidence),
            stderr=tuple(bot.log.take() if bot is not None else "" for bot in bots),
            streams=referee.stream_hashes(),
            first_ids=referee.first_ids(),
            startup_ms=tuple(bot.startup_ms if bot is not None else 0 for bot in bots),
            host={"system": f"{platform.system()} {platform.release()}", "cores": _cores()},
            trouble=trouble,
        )


def _there(bot: Bot | None) -> Bot:
    if bot is None:
        raise AssertionError("a seat without a process is retired before anything is said to it")
    return bot


def _cores() -> str:
    try:
        return str(len(os.sched_getaffinity(0)))
    except AttributeError:  # not every system has affinity
        return str(os.cpu_count())


def _limited(launch: Launch, job: MatchJob, core: int | None) -> Launch:
    """Return a launch with the core and the CPU limit of the whole process filled in [P-5.4]."""
    limits = launch.limits
    if limits.cpu_s is None:
        limits = structs.replace(limits, cpu_s=process_cpu_s(job.settings, len(job.games)))
    return structs.replace(launch, limits=limits, core=launch.core if core is None else core)


def process_cpu_s(settings: Settings, games: int) -> int | None:
    """Return how much CPU time a process that plays so many games can ever be granted."""
    clock = settings.clock
    if clock.mode != "cpu":
        return None
    a_game = clock.bank_ms + _DECISIONS_A_GAME * clock.increment_ms
    return (clock.startup_ms + games * a_game) // 1000 + 1
