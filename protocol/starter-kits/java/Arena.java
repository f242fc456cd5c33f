import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Talks to the arena, so that Bot.java need not: one JSON object a line, in and out.
 *
 * <p>You need not change this file. It uses nothing but Java itself, 11 or newer, and Json.java.
 */
final class Arena {
    private Arena() {}

    /** What is known of the game from its beginning. */
    static final class Game {
        final int seat;
        final int seats;
        final String rules; // "base" or "spirits"
        final long seed;
        final Json params; // [params] of bot.toml
        final Json position; // where the game begins
        final Random random; // same seed, same game: take all chance from here

        Game(Json message) {
            seat = message.get("seat").integer();
            seats = message.get("seats").integer();
            rules = message.get("rules").text();
            seed = (long) message.get("seed").number();
            params = message.get("params");
            position = message.get("position");
            random = new Random(seed);
        }
    }

    /** One question of the arena: answer with an index into legal. */
    static final class Decision {
        final Game game;
        final String kind; // buy, card, canoe, weather, arm or moose
        final List<Json> legal; // actions; most say in "result" what they lead to
        final List<Json> events; // what happened since the last message
        final Json observation; // all that this seat may see
        final Json position;
        final Json me; // this seat's canoes, bank and hand
        final Json clock; // null when clocks are off
        String note = ""; // set it to a short text to find it in the game's record
        private final long began;

        Decision(Json message, Game game, long began) {
            this.game = game;
            this.began = began;
            kind = message.get("kind").text();
            legal = message.get("legal").items();
            events = message.get("events").items();
            observation = message.get("observation");
            position = observation.get("position");
            me = position.get("players").get(game.seat);
            clock = message.get("clock");
        }

        /** How long the bot has thought: about its CPU time, as it runs alone on its core. */
        double spentMs() {
            return (System.nanoTime() - began) / 1e6;
        }

        /** A budget for this decision that lets the bank last: a fiftieth of it. */
        double maySpendMs() {
            if (clock.isNull()) {
                return 1000;
            }
            double share = clock.get("bank_ms").number() / 50 + clock.get("increment_ms").number();
            return Math.min(share, clock.get("wall_ms").number() / 2);
        }

        boolean outOfTime() {
            return spentMs() > maySpendMs();
        }
    }

    /** What a bot does. */
    interface Player {
        /** Returns an index into the legal actions. */
        int choose(Decision decision);

        /** Is told of each game that begins. */
        default void started(Game game) {}
    }

    /** Writes to stderr, the bot's log: stdout belongs to the arena. */
    static void log(String words) {
        System.err.println(words);
    }

    /** Answers the arena until it says "quit". */
    static void play(Player player) throws IOException {
        FileOutputStream out = new FileOutputStream(FileDescriptor.out);
        BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(
                                new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
        Game game = null;
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            long began = System.nanoTime();
            Json message = Json.parse(line);
            Map<String, Object> reply = new LinkedHashMap<>();
            switch (message.get("type").text()) {
                case "hello":
                    reply.put("type", "ready");
                    reply.put("protocol", 1);
                    break;
                case "start":
                    game = new Game(message);
                    player.started(game);
                    break;
                case "decide":
                    Decision decision = new Decision(message, game, began);
                    reply.put("id", message.get("id"));
                    reply.put("choice", player.choose(decision));
                    if (!decision.note.isEmpty()) {
                        int end = Math.min(decision.note.length(), 200);
                        reply.put("note", decision.note.substring(0, end));
                    }
                    break;
                case "ruling":
                    log("ruling: " + message.get("sentence").text());
                    break;
                case "quit":
                    return;
                default: // `end`, and whatever later protocols may tell
                    break;
            }
            if (!reply.isEmpty()) {
                out.write((Json.write(reply) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
    }
}
