#include "cli/child_environment.h"

#include <unistd.h>

#include <algorithm>
#include <string_view>

// NOLINTNEXTLINE(readability-identifier-naming,readability-redundant-declaration): not everywhere
extern char** environ;

namespace shapewise {

std::vector<std::string> EnvironmentWith(
    const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const bool is_set = std::ranges::any_of(variables, [&](const auto& variable) {
      return text.starts_with(variable.first) &&
             text.substr(variable.first.size()).starts_with('=');
    });
    if (!is_set) environment.emplace_back(text);
  }
  for (const auto& [name, value] : variables) environment.push_back(name + "=" + value);
  return environment;
}

std::vector<char*> PointersTo(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace shapewise
