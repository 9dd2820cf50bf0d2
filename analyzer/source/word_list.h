// Lists of words written as one text, split at compile time.

#ifndef SHAPEWISE_SOURCE_WORD_LIST_H_
#define SHAPEWISE_SOURCE_WORD_LIST_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace shapewise {

/// Words with spaces between them, as an argument of a template.
template <size_t kSize>
struct WordText {
  char text[kSize];

  // Implicit, so that the text can be written in place: HasWord<"int float">(name).
  consteval WordText(const char (&words)[kSize]) {  // NOLINT(google-explicit-constructor)
    std::copy_n(words, kSize, text);
  }
  constexpr std::string_view view() const { return {text, kSize - 1}; }
};

/// The words of a text, ordered by length.
template <WordText kText>
class WordList {
 public:
  static constexpr bool Has(std::string_view word) {
    if (word.size() > kLongest) return false;
    for (size_t i = kFirstOfLength[word.size()]; i < kFirstOfLength[word.size() + 1]; ++i) {
      if (kWords[i] == word) return true;
    }
    return false;
  }

  static constexpr bool HasBeginningOf(std::string_view name) {
    return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
      return !name.empty() && name.front() == word.front() && name.starts_with(word);
    });
  }

  static constexpr bool HasEndOf(std::string_view name) {
    return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
      return !name.empty() && name.back() == word.back() && name.ends_with(word);
    });
  }

 private:
  static constexpr size_t CountWords() {
    size_t count = 0;
    const std::string_view text = kText.view();
    for (size_t i = 0; i < text.size(); ++i) {
      count += text[i] != ' ' && (i == 0 || text[i - 1] == ' ') ? 1 : 0;
    }
    return count;
  }

  static constexpr std::array<std::string_view, CountWords()> Split() {
    std::array<std::string_view, CountWords()> words;
    std::string_view rest = kText.view();
    for (std::string_view& word : words) {
      rest.remove_prefix(rest.find_first_not_of(' '));
      word = rest.substr(0, rest.find(' '));
      rest.remove_prefix(word.size());
    }
    std::sort(words.begin(), words.end(),
              [](std::string_view a, std::string_view b) { return a.size() < b.size(); });
    return words;
  }

  static constexpr std::array<std::string_view, CountWords()> kWords = Split();
  static constexpr size_t kLongest = kWords.back().size();

  static constexpr std::array<size_t, kLongest + 2> FindLengths() {
    std::array<size_t, kLongest + 2> first{};
    for (const std::string_view word : kWords) ++first[word.size() + 1];
    for (size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
    return first;
  }

  /// Index of the first word of each length in kWords; the last entry is the number of words.
  static constexpr std::array<size_t, kLongest + 2> kFirstOfLength = FindLengths();
};

/// Whether `name` is one of the words.
template <WordText kText>
constexpr bool HasWord(std::string_view name) {
  return WordList<kText>::Has(name);
}

/// Whether `name` begins with one of the words.
template <WordText kText>
constexpr bool HasBeginning(std::string_view name) {
  return WordList<kText>::HasBeginningOf(name);
}

/// Whether `name` ends with one of the words.
template <WordText kText>
constexpr bool HasEnding(std::string_view name) {
  return WordList<kText>::HasEndOf(name);
}

}  // namespace shapewise

#endif  // SHAPEWISE_SOURCE_WORD_LIST_H_
