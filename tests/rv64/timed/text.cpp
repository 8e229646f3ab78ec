// Text by streams of C++ and functions of C: formatted, parsed, searched, turned around.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <iomanip>
#include <iostream>
#include <map>
#include <sstream>
#include <string>

static std::string written() {
  std::ostringstream out;
  for (int i = 0; i < 60; ++i)
    out << std::setw(5) << i * 37 << ' ' << std::hex << i * 9973 << std::dec << ' ' << std::fixed
        << std::setprecision(3) << i / 7.0 << (i % 4 == 0 ? " multiple\n" : " other\n");
  return out.str();
}

static double parsed(const std::string& text, std::map<std::string, int>& words) {
  std::istringstream in(text);
  double sum = 0;
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    int decimal = 0, hexadecimal = 0;
    double value = 0;
    std::string word;
    if (!(fields >> decimal >> std::hex >> hexadecimal >> std::dec >> value >> word)) return -1;
    sum += decimal + hexadecimal + value;
    ++words[word];
  }
  return sum;
}

int main() {
  const std::string text = written();
  std::map<std::string, int> words;
  std::cout << std::setprecision(10) << parsed(text, words) << '\n';
  for (const auto& [word, count] : words) std::cout << word << ' ' << count << '\n';
  std::string upper = text;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  std::reverse(upper.begin(), upper.end());
  std::cout << upper.find("ELPITLUM") << ' ' << std::count(upper.begin(), upper.end(), '7') << '\n';
  char buffer[400];
  int at = 0;
  for (int i = 0; i < 10; ++i)
    at += std::snprintf(buffer + at, sizeof buffer - at, "%d:%g:%s;", i, i / 3.0, "abc" + i % 3);
  std::cout << buffer << ' ' << std::strlen(buffer) << ' ' << std::strstr(buffer, "8:") - buffer << '\n';
  return 13;
}
