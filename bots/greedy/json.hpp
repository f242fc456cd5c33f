// A small JSON reader and writer: all of RFC 8259, UTF-8 in and out, no dependency.
//
// Reading throws json::Error for anything that is not JSON, and for nesting deeper than max_depth.
// Looking up what is not there gives null, so a chain of look-ups never fails half way.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace json {

constexpr int max_depth = 64;

struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Value {
 public:
  enum Kind { Null, Bool, Number, String, Array, Object };
  using Members = std::vector<std::pair<std::string, Value>>;

  Value() = default;
  Value(std::nullptr_t) {}
  Value(bool truth) : kind_(Bool), number_(truth) {}
  Value(double number) : kind_(Number), number_(number) {}
  Value(int number) : kind_(Number), number_(number) {}
  Value(std::int64_t number) : kind_(Number), number_(static_cast<double>(number)) {}
  Value(std::string text) : kind_(String), text_(std::move(text)) {}
  Value(const char* text) : kind_(String), text_(text) {}

  static Value array() { return Value(Array); }
  static Value object() { return Value(Object); }

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Null; }
  explicit operator bool() const { return kind_ == Bool && number_ != 0; }
  double number(double otherwise = 0) const { return kind_ == Number ? number_ : otherwise; }
  int integer(int otherwise = 0) const {
    return kind_ == Number && std::fabs(number_) < 2e9 ? static_cast<int>(number_) : otherwise;
  }
  const std::string& text() const { return text_; }  // empty unless it is a string

  // The items of an array, the members of an object; empty for anything else.
  const std::vector<Value>& items() const { return items_; }
  const Members& members() const { return members_; }
  std::size_t size() const { return kind_ == Object ? members_.size() : items_.size(); }

  const Value& operator[](std::size_t index) const {
    return index < items_.size() ? items_[index] : null();
  }
  const Value& operator[](int index) const { return (*this)[static_cast<std::size_t>(index)]; }
  const Value& operator[](const std::string& key) const {
    for (const auto& member : members_)
      if (member.first == key) return member.second;
    return null();
  }
  const Value& operator[](const char* key) const { return (*this)[std::string(key)]; }
  bool has(const std::string& key) const { return &(*this)[key] != &null(); }

  void push(Value item) { items_.push_back(std::move(item)); }
  void set(const std::string& key, Value value) {  // the last of equal keys counts
    for (auto& member : members_)
      if (member.first == key) {
        member.second = std::move(value);
        return;
      }
    members_.emplace_back(key, std::move(value));
  }

  std::string dump() const {
    std::string out;
    write(out);
    return out;
  }

 private:
  explicit Value(Kind kind) : kind_(kind) {}

  static const Value& null() {
    static const Value value;
    return value;
  }

  static void write_text(std::string& out, const std::string& text) {
    out += '"';
    for (unsigned char c : text) {
      if (c == '"' || c == '\\') {
        out += '\\';
        out += static_cast<char>(c);
      } else if (c < 0x20) {
        char escape[8];
        std::snprintf(escape, sizeof escape, "\\u%04x", c);
        out += escape;
      } else {
        out += static_cast<char>(c);
      }
    }
    out += '"';
  }

  void write(std::string& out) const {
    switch (kind_) {
      case Null: out += "null"; break;
      case Bool: out += number_ != 0 ? "true" : "false"; break;
      case Number: {
        char digits[32];
        bool whole = number_ == std::floor(number_) && std::fabs(number_) < 9007199254740992.0;
        std::snprintf(digits, sizeof digits, whole ? "%.0f" : "%.17g", number_);
        out += std::isfinite(number_) ? digits : "null";  // JSON has no NaN and no infinity
        break;
      }
      case String: write_text(out, text_); break;
      case Array:
        out += '[';
        for (std::size_t i = 0; i < items_.size(); ++i) {
          if (i) out += ',';
          items_[i].write(out);
        }
        out += ']';
        break;
      case Object:
        out += '{';
        for (std::size_t i = 0; i < members_.size(); ++i) {
          if (i) out += ',';
          write_text(out, members_[i].first);
          out += ':';
          members_[i].second.write(out);
        }
        out += '}';
        break;
    }
  }

  Kind kind_ = Null;
  double number_ = 0;
  std::string text_;
  std::vector<Value> items_;
  Members members_;
};

class Reader {
 public:
  explicit Reader(const std::string& text) : text_(text) {}

  Value read() {
    Value value = read_value(0);
    skip_space();
    if (at_ != text_.size()) fail("something follows the value");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error("not JSON at byte " + std::to_string(at_) + ": " + what);
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool digit() const { return peek() >= '0' && peek() <= '9'; }
  void skip_space() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\n' || peek() == '\r') ++at_;
  }
  void expect(char c) {
    if (peek() != c) fail(std::string("expected '") + c + "'");
    ++at_;
  }
  Value word(const char* letters, Value value) {
    for (; *letters; ++letters) expect(*letters);
    return value;
  }

  Value read_value(int depth) {
    if (depth > max_depth) fail("nested too deeply");
    skip_space();
    switch (peek()) {
      case '{': return read_object(depth);
      case '[': return read_array(depth);
      case '"': return Value(read_text());
      case 't': return word("true", Value(true));
      case 'f': return word("false", Value(false));
      case 'n': return word("null", Value());
      default: return read_number();
    }
  }

  Value read_object(int depth) {
    Value object = Value::object();
    ++at_;
    skip_space();
    if (peek() == '}') return ++at_, object;
    for (;;) {
      skip_space();
      std::string key = read_text();
      skip_space();
      expect(':');
      object.set(key, read_value(depth + 1));
      skip_space();
      if (peek() == '}') return ++at_, object;
      expect(',');
    }
  }

  Value read_array(int depth) {
    Value array = Value::array();
    ++at_;
    skip_space();
    if (peek() == ']') return ++at_, array;
    for (;;) {
      array.push(read_value(depth + 1));
      skip_space();
      if (peek() == ']') return ++at_, array;
      expect(',');
    }
  }

  Value read_number() {
    std::size_t begin = at_;
    if (peek() == '-') ++at_;
    if (!digit()) fail("expected a value");
    if (peek() == '0') ++at_;
    else while (digit()) ++at_;
    if (peek() == '.') {
      ++at_;
      if (!digit()) fail("expected a digit");
      while (digit()) ++at_;
    }
    if (peek() == 'e' || peek() == 'E') {
      ++at_;
      if (peek() == '+' || peek() == '-') ++at_;
      if (!digit()) fail("expected a digit");
      while (digit()) ++at_;
    }
    return Value(std::strtod(text_.substr(begin, at_ - begin).c_str(), nullptr));
  }

  unsigned read_hex() {
    unsigned code = 0;
    for (int i = 0; i < 4; ++i, ++at_) {
      char c = peek();
      code *= 16;
      if (c >= '0' && c <= '9') code += static_cast<unsigned>(c - '0');
      else if (c >= 'a' && c <= 'f') code += static_cast<unsigned>(c - 'a' + 10);
      else if (c >= 'A' && c <= 'F') code += static_cast<unsigned>(c - 'A' + 10);
      else fail("expected four hexadecimal digits");
    }
    return code;
  }

  static void put_utf8(std::string& out, unsigned code) {
    auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
    if (code < 0x80) {
      out += static_cast<char>(code);
    } else if (code < 0x800) {
      out += static_cast<char>(0xC0 | (code >> 6));
      tail(0);
    } else if (code < 0x10000) {
      out += static_cast<char>(0xE0 | (code >> 12));
      tail(6), tail(0);
    } else {
      out += static_cast<char>(0xF0 | (code >> 18));
      tail(12), tail(6), tail(0);
    }
  }

  void read_unicode(std::string& out) {
    unsigned code = read_hex();
    if (code >= 0xD800 && code < 0xDC00) {  // the first half of a pair
      if (text_.compare(at_, 2, "\\u") != 0) fail("half of a surrogate pair");
      at_ += 2;
      unsigned second = read_hex();
      if (second < 0xDC00 || second > 0xDFFF) fail("half of a surrogate pair");
      code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
      fail("half of a surrogate pair");
    }
    put_utf8(out, code);
  }

  std::string read_text() {
    expect('"');
    std::string out;
    for (;;) {
      if (at_ >= text_.size()) fail("a string without an end");
      char c = text_[at_++];
      if (c == '"') return out;
      if (static_cast<unsigned char>(c) < 0x20) fail("a control character in a string");
      if (c != '\\') {
        out += c;
        continue;
      }
      char escaped = peek();
      ++at_;
      switch (escaped) {
        case '"': case '\\': case '/': out += escaped; break;
        case 'b': out += '\b'; break;
        case 'f': out += '\f'; break;
        case 'n': out += '\n'; break;
        case 'r': out += '\r'; break;
        case 't': out += '\t'; break;
        case 'u': read_unicode(out); break;
        default: --at_; fail("an unknown escape");
      }
    }
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

inline Value parse(const std::string& text) { return Reader(text).read(); }

}  // namespace json
