#include "redact/kept_words.h"

#include <cassert>
#include <tuple>

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "support/embedded_file.h"

namespace shapewise {

std::span<const EmbeddedFile> KeptWords();

namespace {

using Words = llvm::StringSet<>;

/// The sections of kept_words.txt.
llvm::StringMap<Words> ReadSections() {
  llvm::StringMap<Words> sections;
  llvm::StringRef text = KeptWords().front().text;
  Words* section = nullptr;
  while (!text.empty()) {
    llvm::StringRef line;
    std::tie(line, text) = text.split('\n');
    if (line.empty() || line.front() == '#') continue;
    if (line.consume_front("[")) {
      section = &sections[line.drop_back()];
      continue;
    }
    while (!line.empty()) {
      llvm::StringRef word;
      std::tie(word, line) = line.split(' ');
      section->insert(word);
    }
  }
  return sections;
}

/// The words below "[<name>]".
const Words& Section(std::string_view name) {
  static const llvm::StringMap<Words> sections = ReadSections();
  const auto found = sections.find(llvm::StringRef(name));
  assert(found != sections.end());
  return found->second;
}

}  // namespace

bool IsKeptWord(std::string_view word) {
  static const Words& words = Section("words");
  return words.contains(word);
}

bool IsSmallWord(std::string_view word) {
  static const Words& words = Section("messages");
  return words.contains(word);
}

bool IsKeptRoot(std::string_view word) {
  static const Words& words = Section("roots");
  return words.contains(word);
}

bool IsKeptNamespace(std::string_view word) {
  static const Words& words = Section("namespaces");
  return words.contains(word);
}

bool IsKeptEnding(std::string_view ending) {
  static const Words& words = Section("endings");
  return words.contains(ending);
}

}  // namespace shapewise
