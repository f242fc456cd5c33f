//! Reads texts as hexadecimal lines; writes each back as JSON, or `error` and why not.

mod json;

use std::io::{self, BufRead};

fn main() {
    for line in io::stdin().lock().lines() {
        let line = line.expect("a line");
        let byte = |i: usize| u8::from_str_radix(&line[2 * i..2 * i + 2], 16).expect("hex");
        let text = String::from_utf8((0..line.len() / 2).map(byte).collect()).expect("UTF-8");
        match json::parse(&text) {
            Ok(value) => println!("{}", value.write()),
            Err(why) => println!("error {}", why),
        }
    }
}
