import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Reads texts as hexadecimal lines; writes each back as JSON, or `error` and why not. */
final class Echo {
    public static void main(String[] arguments) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        PrintStream out = new PrintStream(System.out, false, "UTF-8");
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            byte[] bytes = new byte[line.length() / 2];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) Integer.parseInt(line.substring(2 * i, 2 * i + 2), 16);
            }
            String answer;
            try {
                answer = Json.write(Json.parse(new String(bytes, StandardCharsets.UTF_8)));
            } catch (Json.Error error) {
                answer = "error " + error.getMessage();
            }
            out.print(answer + "\n");
        }
        out.flush();
    }
}
