#include "rules/stable_text.h"

#include <algorithm>

#include "llvm/ADT/StringExtras.h"
#include "support/terminal_text.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

// A longer decimal number is an object's id or address, never a size.
constexpr size_t kMinObjectIdDigits = 9;

constexpr std::string_view kNotebook = "<notebook>";

// Numbers after these words are lines, or counters of generated code.
constexpr std::string_view kBeforeRunningNumber[] = {"line ", "<eval_with_key>."};

size_t CountDigits(std::string_view text, bool is_hex) {
  const auto is_digit = [&](char c) { return is_hex ? llvm::isHexDigit(c) : IsDigit(c); };
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

bool IsSlash(char c) { return c == '/' || c == '\\'; }

bool IsPathChar(char c) {
  return IsWordChar(c) || IsSlash(c) || c == '.' || c == '-' || c == '+' || c == '~' || c == ':';
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.find_last_of("/\\") + 1);
}

/// The path characters at the front of `text`.
std::string_view PathWord(std::string_view text) {
  const auto end = std::find_if_not(text.begin(), text.end(), IsPathChar);
  return text.substr(0, static_cast<size_t>(end - text.begin()));
}

/// Appends `word` without its volatile numbers, which depend on the text before it in `stable`.
void AppendStableWord(std::string_view word, std::string& stable) {
  while (!word.empty()) {
    if (ConsumeFront(word, "0x")) {
      stable += "0x";
      word.remove_prefix(CountDigits(word, /*is_hex=*/true));
      continue;
    }
    const size_t digits = CountDigits(word, /*is_hex=*/false);
    if (digits == 0) {
      stable.push_back(word.front());
      word.remove_prefix(1);
      continue;
    }
    const bool is_running = std::ranges::any_of(kBeforeRunningNumber, [&](std::string_view before) {
      return std::string_view(stable).ends_with(before);
    });
    if (!is_running && digits < kMinObjectIdDigits) stable.append(word.substr(0, digits));
    word.remove_prefix(digits);
  }
}

}  // namespace

std::string StableText(std::string_view text) {
  std::string stable;
  while (!text.empty()) {
    const std::string_view word = PathWord(text);
    if (word.empty()) {
      stable.push_back(text.front());
      text.remove_prefix(1);
      continue;
    }
    AppendStableWord(BaseName(word), stable);
    text.remove_prefix(word.size());
  }
  return ToUtf8(stable);
}

std::string StableFile(std::string_view file) {
  // Jupyter: /tmp/ipykernel_71/2938.py; IPython and Colab: <ipython-input-3-1f2e>, without brackets
  // in newer releases.
  if (HasText(file, "ipykernel_") || HasText(file, "ipython-input-")) return std::string(kNotebook);
  return StableText(BaseName(file));
}

}  // namespace shapewise
