#include "pipeline/code_inputs.h"

#include <algorithm>
#include <set>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using llvm::StringRef;

constexpr StringRef kPackageFile = "__init__.py";

std::string InFolder(const std::string& folder, const std::string& name) {
  if (folder.empty()) return name;
  return folder.back() == '/' ? folder + name : folder + "/" + name;
}

// Packages that are described by tables, which contain more than their code shows.
constexpr StringRef kKnownPackages[] = {"numpy", "torch"};

/// Whether `folder` contains the packages of an environment.
bool IsEnvironment(StringRef folder) {
  llvm::SmallString<128> whole(folder);
  if (llvm::sys::fs::make_absolute(whole)) return false;
  const StringRef name = llvm::sys::path::filename(whole);
  return name == "site-packages" || name == "dist-packages";
}

/// Whether the absolute import of `first` in `path` refers to another package, which is not to be
/// searched from `root`.
bool IsForeign(StringRef root, bool is_environment, StringRef path, StringRef first) {
  if (!is_environment && !llvm::is_contained(kKnownPackages, first)) return false;
  path.consume_front(root);
  return path.ltrim('/').split('/').first != first;
}

std::string AsPath(std::string_view dotted) {
  std::string path(dotted);
  for (char& c : path) {
    if (c == '.') c = '/';
  }
  return path;
}

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

bool ImportPaths::IsFile(const std::string& path) {
  const auto [known, is_new] = is_file_.try_emplace(path, false);
  if (is_new) known->second = llvm::sys::fs::is_regular_file(path);
  return known->second;
}

std::vector<std::string> ImportPaths::PackagesOf(const std::string& path) {
  std::vector<std::string> packages;
  StringRef folder = llvm::sys::path::parent_path(path);
  while (!folder.empty()) {
    const std::string package = InFolder(folder.str(), kPackageFile.str());
    if (!IsFile(package)) break;
    if (package != path) packages.push_back(package);
    folder = llvm::sys::path::parent_path(folder);
  }
  return packages;
}

std::string ImportPaths::RootOf(const std::string& path) {
  StringRef folder = llvm::sys::path::parent_path(path);
  while (!folder.empty() && IsFile(InFolder(folder.str(), kPackageFile.str()))) {
    folder = llvm::sys::path::parent_path(folder);
  }
  return folder.str();
}

std::string ImportPaths::ModuleAt(const std::string& base) {
  for (const char* end : {".py", "/__init__.py"}) {
    if (IsFile(base + end)) return base + end;
  }
  return {};
}

std::vector<std::string> ImportPaths::Imported(const std::string& path, std::string_view text) {
  std::vector<std::string> found;
  std::set<std::string> known;
  const auto add = [&](const std::string& file) {
    if (!file.empty() && file != path && known.insert(file).second) found.push_back(file);
  };
  const std::string root = RootOf(path);
  const bool is_environment = IsEnvironment(root);
  for (const ImportLine& line : FindImports(text)) {
    const StringRef module_name(line.module.data(), line.module.size());
    const StringRef first = module_name.split('.').first;
    if (line.dots == 0 && IsForeign(root, is_environment, path, first)) continue;
    std::string folder = root;
    if (line.dots > 0) {
      StringRef above = llvm::sys::path::parent_path(path);
      for (uint32_t i = 1; i < line.dots; ++i) above = llvm::sys::path::parent_path(above);
      folder = above.str();
    }
    const std::string base = line.module.empty() ? folder : InFolder(folder, AsPath(line.module));
    if (base.empty()) continue;
    const std::string module = ModuleAt(base);
    add(module);
    if (!line.module.empty() && module.empty() && !llvm::sys::fs::is_directory(base)) continue;
    // A name may be a module of a package.
    if (!module.empty() && !std::string_view(module).ends_with(kPackageFile)) continue;
    for (const std::string_view name : line.names) {
      if (name != "*") add(ModuleAt(InFolder(base, AsPath(name))));
    }
  }
  return found;
}

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
