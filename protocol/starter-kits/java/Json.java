import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A small JSON reader and writer: all of RFC 8259, no dependency.
 *
 * <p>Reading throws Json.Error for anything that is not JSON, and for nesting deeper than
 * MAX_DEPTH. Looking up what is not there gives NULL, so a chain of look-ups never fails half way.
 */
final class Json {
    static final int MAX_DEPTH = 64;
    static final Json NULL = new Json(null);

    /** What is thrown for text that is not JSON. */
    static final class Error extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Error(String what) {
            super(what);
        }
    }

    /** Null, Boolean, Double, String, List of Json or Map of String to Json. */
    private final Object value;

    private Json(Object value) {
        this.value = value;
    }

    boolean isNull() {
        return value == null;
    }

    boolean isTrue() {
        return Boolean.TRUE.equals(value);
    }

    double number() {
        return value instanceof Double ? (Double) value : 0;
    }

    int integer() {
        return (int) number();
    }

    /** The text of a string; empty for anything else. */
    String text() {
        return value instanceof String ? (String) value : "";
    }

    /** The items of an array; empty for anything else. */
    @SuppressWarnings("unchecked")
    List<Json> items() {
        return value instanceof List ? (List<Json>) value : List.of();
    }

    /** The members of an object; empty for anything else. */
    @SuppressWarnings("unchecked")
    Map<String, Json> members() {
        return value instanceof Map ? (Map<String, Json>) value : Map.of();
    }

    boolean has(String key) {
        return members().containsKey(key);
    }

    Json get(String key) {
        return members().getOrDefault(key, NULL);
    }

    Json get(int index) {
        return index >= 0 && index < items().size() ? items().get(index) : NULL;
    }

    /** Writes null, Boolean, Number, CharSequence, Iterable, Map and Json as JSON. */
    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Json) {
            write(((Json) value).value, out);
        } else if (value instanceof CharSequence) {
            writeText((CharSequence) value, out);
        } else if (value instanceof Number) {
            double number = ((Number) value).doubleValue();
            if (number == Math.rint(number) && Math.abs(number) < 1L << 53) {
                out.append((long) number);
            } else {
                out.append(Double.isFinite(number) ? Double.toString(number) : "null");
            }
        } else if (value instanceof Map) {
            String before = "{";
            for (Map.Entry<?, ?> member : ((Map<?, ?>) value).entrySet()) {
                out.append(before);
                writeText(member.getKey().toString(), out);
                out.append(':');
                write(member.getValue(), out);
                before = ",";
            }
            out.append(before.equals("{") ? "{}" : "}");
        } else if (value instanceof Iterable) {
            String before = "[";
            for (Object item : (Iterable<?>) value) {
                out.append(before);
                write(item, out);
                before = ",";
            }
            out.append(before.equals("[") ? "[]" : "]");
        } else {
            out.append(value); // null, true and false
        }
    }

    private static void writeText(CharSequence text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20 || Character.isSurrogate(c)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }

    static Json parse(String text) {
        Reader reader = new Reader(text);
        Json value = reader.value(0);
        reader.skipSpace();
        if (reader.at != text.length()) {
            throw reader.fail("something follows the value");
        }
        return value;
    }

    private static final class Reader {
        private final String text;
        private int at = 0;

        Reader(String text) {
            this.text = text;
        }

        Error fail(String what) {
            return new Error("not JSON at character " + at + ": " + what);
        }

        char peek() {
            return at < text.length() ? text.charAt(at) : '\0';
        }

        boolean digit() {
            return peek() >= '0' && peek() <= '9';
        }

        void skipSpace() {
            while (at < text.length() && " \t\n\r".indexOf(peek()) >= 0) {
                at++;
            }
        }

        void expect(char c) {
            if (peek() != c) {
                throw fail("expected '" + c + "'");
            }
            at++;
        }

        Json word(String letters, Object value) {
            if (!text.startsWith(letters, at)) {
                throw fail("expected a value");
            }
            at += letters.length();
            return value == null ? NULL : new Json(value);
        }

        Json value(int depth) {
            if (depth > MAX_DEPTH) {
                throw fail("nested too deeply");
            }
            skipSpace();
            switch (peek()) {
                case '{':
                    return object(depth);
                case '[':
                    return array(depth);
                case '"':
                    return new Json(string());
                case 't':
                    return word("true", true);
                case 'f':
                    return word("false", false);
                case 'n':
                    return word("null", null);
                default:
                    return number();
            }
        }

        Json object(int depth) {
            Map<String, Json> members = new LinkedHashMap<>();
            at++;
            skipSpace();
            if (peek() == '}') {
                at++;
                return new Json(members);
            }
            while (true) {
                skipSpace();
                String key = string();
                skipSpace();
                expect(':');
                members.put(key, value(depth + 1)); // the last of equal keys counts
                skipSpace();
                if (peek() == '}') {
                    at++;
                    return new Json(members);
                }
                expect(',');
            }
        }

        Json array(int depth) {
            List<Json> items = new ArrayList<>();
            at++;
            skipSpace();
            if (peek() == ']') {
                at++;
                return new Json(items);
            }
            while (true) {
                items.add(value(depth + 1));
                skipSpace();
                if (peek() == ']') {
                    at++;
                    return new Json(items);
                }
                expect(',');
            }
        }

        void digits() {
            if (!digit()) {
                throw fail("expected a digit");
            }
            while (digit()) {
                at++;
            }
        }

        Json number() {
            int begin = at;
            if (peek() == '-') {
                at++;
            }
            if (peek() == '0') {
                at++;
            } else {
                digits();
            }
            if (peek() == '.') {
                at++;
                digits();
            }
            if (peek() == 'e' || peek() == 'E') {
                at++;
                if (peek() == '+' || peek() == '-') {
                    at++;
                }
                digits();
            }
            return new Json(Double.parseDouble(text.substring(begin, at)));
        }

        char hex() {
            int code = 0;
            for (int i = 0; i < 4; i++, at++) {
                int digit = peek() < 128 ? Character.digit(peek(), 16) : -1;
                if (digit < 0) {
                    throw fail("expected four hexadecimal digits");
                }
                code = 16 * code + digit;
            }
            return (char) code;
        }

        void unicode(StringBuilder out) {
            char first = hex();
            out.append(first);
            if (Character.isLowSurrogate(first)) {
                throw fail("half of a surrogate pair");
            }
            if (Character.isHighSurrogate(first)) {
                if (!text.startsWith("\\u", at)) {
                    throw fail("half of a surrogate pair");
                }
                at += 2;
                char second = hex();
                if (!Character.isLowSurrogate(second)) {
                    throw fail("half of a surrogate pair");
                }
                out.append(second);
            }
        }

        String string() {
            expect('"');
            StringBuilder out = new StringBuilder();
            while (at < text.length()) {
                char c = text.charAt(at++);
                if (c == '"') {
                    return out.toString();
                }
                if (c < 0x20) {
                    throw fail("a control character in a string");
                }
                if (c != '\\') {
                    out.append(c);
                    continue;
                }
                char escaped = peek();
                int known = "\"\\/bfnrt".indexOf(escaped);
                at++;
                if (escaped == 'u') {
                    unicode(out);
                } else if (known >= 0) {
                    out.append("\"\\/\b\f\n\r\t".charAt(known));
                } else {
                    throw fail("an unknown escape");
                }
            }
            throw fail("a string without an end");
        }
    }
}
