#include "pipeline/import_paths.h"

#include <algorithm>

#include "support/text_scan.h"

namespace shapewise {
namespace {

constexpr size_t kMostNames = 4096;
// Maximum distance between the start of a line and the word "import" in it.
constexpr size_t kMostBefore = 1024;

/// Reads one import statement, which may extend over several lines in brackets.
class ImportScanner {
 public:
  ImportScanner(std::string_view text, size_t at) : text_(text), at_(at) {}

  size_t at() const { return at_; }

  std::string_view DottedName() {
    SkipBlanks();
    const size_t begin = at_;
    while (at_ < text_.size() && IsNameByte(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  uint32_t Dots() {
    SkipBlanks();
    uint32_t dots = 0;
    while (Consume('.')) {
      ++dots;
      SkipBlanks();
    }
    return dots;
  }

  bool Consume(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  bool ConsumeWord(std::string_view word) {
    SkipBlanks();
    if (text_.substr(at_, word.size()) != word) return false;
    const size_t end = at_ + word.size();
    if (end < text_.size() && IsNameByte(text_[end])) return false;
    at_ = end;
    return true;
  }

  /// The names after `import`, with or without brackets.
  std::vector<std::string_view> Names() {
    std::vector<std::string_view> names;
    SkipBlanks();
    in_brackets_ = Consume('(');
    while (names.size() < kMostNames) {
      SkipBlanks();
      if (Consume('*')) return {"*"};
      const std::string_view name = DottedName();
      if (name.empty()) break;
      names.push_back(name);
      if (ConsumeWord("as")) DottedName();
      SkipBlanks();
      if (!Consume(',')) break;
    }
    return names;
  }

 private:
  static bool IsNameByte(char c) {
    return IsWordChar(c) || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  }

  void SkipBlanks() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\' && at_ + 1 < text_.size() &&
          (text_[at_ + 1] == '\n' || text_[at_ + 1] == '\r')) {
        at_ += text_.substr(at_ + 1, 2) == "\r\n" ? 3 : 2;
      } else if (in_brackets_ && c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (IsBlankChar(c) || (in_brackets_ && c == '\n')) {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view text_;
  size_t at_;
  bool in_brackets_ = false;
};

}  // namespace

std::vector<ImportLine> FindImports(std::string_view text) {
  std::vector<ImportLine> imports;
  size_t at = 0;
  while (at < text.size()) {
    const size_t import_at = FindText(text, "import", at);
    if (import_at == std::string_view::npos) break;
    at = import_at + 1;
    const size_t earliest = import_at - std::min(import_at, kMostBefore);
    size_t line = text.substr(earliest, import_at - earliest).rfind('\n');
    if (line == std::string_view::npos && earliest > 0) continue;
    line = line == std::string_view::npos ? 0 : earliest + line + 1;
    ImportScanner scanner(text, line);
    ImportLine import;
    if (scanner.ConsumeWord("from")) {
      import.dots = scanner.Dots();
      import.module = scanner.DottedName();
      if (import.dots > 0 && import.module == "import") {
        import.module = {};
      } else if (!scanner.ConsumeWord("import")) {
        continue;
      }
      import.names = scanner.Names();
      if (!import.names.empty()) imports.push_back(std::move(import));
    } else if (scanner.ConsumeWord("import")) {
      for (const std::string_view module : scanner.Names()) imports.push_back({0, module, {}});
    } else {
      continue;
    }
    at = std::max(at, scanner.at());
  }
  return imports;
}

}  // namespace shapewise
