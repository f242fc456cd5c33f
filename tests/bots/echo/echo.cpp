// Reads texts as hexadecimal lines; writes each back as JSON, or `error` and why not.
#include <iostream>
#include <string>

#include "json.hpp"

int main() {
  for (std::string line; std::getline(std::cin, line);) {
    std::string text;
    for (std::size_t i = 0; i + 1 < line.size(); i += 2)
      text += static_cast<char>(std::stoi(line.substr(i, 2), nullptr, 16));
    try {
      std::cout << json::parse(text).dump() << "\n";
    } catch (const json::Error& error) {
      std::cout << "error " << error.what() << "\n";
    }
  }
}
