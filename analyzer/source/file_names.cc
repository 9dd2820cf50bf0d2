#include "source/file_names.h"

#include <algorithm>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/xxhash.h"
#include "support/text_scan.h"
#include "syntax/python_walk.h"

namespace shapewise {
namespace {

using Rank = NameSource::Rank;

/// Whether the definition at `begin` is indented, that is, under a condition.
bool IsIndented(std::string_view text, size_t begin) {
  return begin < text.size() && (text[begin] == ' ' || text[begin] == '\t');
}

uint32_t HashOf(std::string_view word) {
  return static_cast<uint32_t>(llvm::xxHash64(llvm::StringRef(word)));
}

class NameReader {
 public:
  NameReader(const SourceFile& file, FileNames& names) : file_(file), names_(names) {
    if (!file.outline.module.empty())
      begin_ = static_cast<uint32_t>(file.outline.module.front().begin);
  }

  void ReadDefinitions() {
    const Outline& outline = file_.outline;
    const auto add = [&](NameSource::Kind kind, uint32_t id, std::string_view name,
                         const FileSpan& span) {
      NameSource source{.kind = kind, .id = id, .place = static_cast<uint32_t>(span.begin)};
      if (IsIndented(file_.text, span.begin)) source.rank = Rank::kFallback;
      Add(name, source);
    };
    for (size_t i = 0; i < outline.functions.size(); ++i) {
      const OutlinedFunction& function = outline.functions[i];
      if (function.in_class >= 0) continue;
      add(NameSource::Kind::kFunction, file_.first_function + static_cast<uint32_t>(i),
          function.name, function.span);
    }
    for (size_t i = 0; i < outline.classes.size(); ++i) {
      const OutlinedClass& outlined = outline.classes[i];
      if (outlined.in_class >= 0) continue;
      add(NameSource::Kind::kClass, file_.first_class + static_cast<uint32_t>(i), outlined.name,
          outlined.span);
    }
  }

  void ReadStatements(llvm::ArrayRef<const Stmt*> body, Rank rank, int depth) {
    for (const Stmt* statement : body) ReadStatement(*statement, rank, depth);
  }

 private:
  void Add(std::string_view name, NameSource source) {
    if (name.empty()) return;
    source.name = name;
    names_.sources.push_back(source);
  }
  uint32_t PlaceOf(const Stmt& statement) const { return begin_ + statement.span.begin; }
  void ReadStatement(const Stmt& statement, Rank rank, int depth) {
    // Real programs are not nested this deeply at top level.
    constexpr int kMaxFolders = 64;
    if (depth > kMaxFolders) return;
    const Rank other = std::max(rank, Rank::kFallback);
    switch (statement.kind) {
      case StmtKind::kImport:
      case StmtKind::kImportFrom:
        ReadImport(statement, rank);
        break;
      case StmtKind::kAssign:
      case StmtKind::kAnnotated:
        for (const Expr* target : statement.targets) {
          if (IsName(target, "__all__")) ReadAll(statement);
          if (statement.value != nullptr) ReadAssignment(*target, statement, rank);
        }
        break;
      case StmtKind::kAugmented:
        if (IsName(statement.targets[0], "__all__")) ReadAll(statement);
        break;
      case StmtKind::kTry:
        ReadStatements(statement.body, rank, depth + 1);
        for (const Branch& handler : statement.handlers) {
          ReadStatements(handler.body, other, depth + 1);
        }
        ReadStatements(statement.orelse, rank, depth + 1);
        ReadStatements(statement.finally, rank, depth + 1);
        break;
      case StmtKind::kIf:
      case StmtKind::kWith:
      case StmtKind::kFor:
      case StmtKind::kWhile:
        ReadStatements(statement.body, rank, depth + 1);
        ReadStatements(statement.orelse, other, depth + 1);
        break;
      default:
        break;
    }
  }

  void ReadImport(const Stmt& statement, Rank rank) {
    const bool is_from = statement.kind == StmtKind::kImportFrom;
    for (const ImportedName& imported : statement.imports) {
      if (imported.name == "*") {
        names_.stars.push_back(&statement);
        continue;
      }
      Add(BoundName(imported),
          {.kind = is_from ? NameSource::Kind::kImportFrom : NameSource::Kind::kImport,
           .rank = rank,
           .place = PlaceOf(statement),
           .statement = &statement,
           .imported = &imported});
    }
  }

  void ReadAssignment(const Expr& target, const Stmt& statement, Rank rank) {
    if (IsDisplay(target)) {
      const bool is_parallel = statement.value != nullptr && IsDisplay(*statement.value) &&
                               statement.value->items.size() == target.items.size();
      for (size_t i = 0; i < target.items.size(); ++i) {
        const Expr* item = target.items[i];
        if (!IsName(item)) continue;
        Add(item->text, {.rank = rank,
                         .place = PlaceOf(statement),
                         .statement = &statement,
                         .expr = is_parallel ? statement.value->items[i] : nullptr});
      }
      return;
    }
    if (!IsName(&target)) return;
    if (statement.value != nullptr && statement.value->kind == PythonExprKind::kNone)
      rank = Rank::kNothing;
    Add(target.text, {.rank = rank,
                      .place = PlaceOf(statement),
                      .statement = &statement,
                      .expr = statement.value});
  }

  void ReadAll(const Stmt& statement) {
    if (statement.value == nullptr || !IsDisplay(*statement.value)) {
      names_.is_all_open = true;
      return;
    }
    names_.has_all = true;
    for (const Expr* item : statement.value->items) {
      if (const std::string_view name = PlainString(item); !name.empty()) {
        names_.all.insert(llvm::StringRef(name));
      }
    }
  }

  const SourceFile& file_;
  FileNames& names_;
  uint32_t begin_ = 0;
};

}  // namespace

llvm::ArrayRef<NameSource> FileNames::Find(std::string_view name) const {
  const auto found = std::ranges::equal_range(sources, name, {}, &NameSource::name);
  return {found.data(), found.size()};
}

bool FileNames::Exports(std::string_view name) const {
  if (has_all && all.contains(llvm::StringRef(name))) return true;
  return (!has_all || is_all_open) && !name.starts_with('_');
}

void TopLevelWords::Read(const SourceFile& file) {
  std::vector<uint32_t> hashes;
  const auto add = [&](std::string_view word) { hashes.push_back(HashOf(word)); };
  for (const FileSpan& span : file.outline.module) {
    std::string_view text = span.Of(file.text);
    has_stars_ |=
        text.find('*') != std::string_view::npos && text.find("import") != std::string_view::npos;
    const auto is_word = [](char c) { return IsWordChar(c) || static_cast<uint8_t>(c) >= 0x80; };
    for (const char* at = text.data(); at != text.data() + text.size();) {
      if (!is_word(*at)) {
        ++at;
        continue;
      }
      const char* begin = at;
      while (at != text.data() + text.size() && is_word(*at)) ++at;
      add({begin, static_cast<size_t>(at - begin)});
    }
  }
  for (const OutlinedFunction& function : file.outline.functions) {
    if (function.in_class < 0) add(function.name);
  }
  for (const OutlinedClass& outlined : file.outline.classes) {
    if (outlined.in_class < 0) add(outlined.name);
  }
  std::sort(hashes.begin(), hashes.end());
  hashes_.assign(hashes.begin(), std::unique(hashes.begin(), hashes.end()));
}

bool TopLevelWords::MayHave(std::string_view name) const {
  return std::binary_search(hashes_.begin(), hashes_.end(), HashOf(name));
}

FileNames ReadFileNames(const SourceFile& file, llvm::ArrayRef<const Stmt*> module) {
  FileNames names;
  NameReader reader(file, names);
  reader.ReadDefinitions();
  reader.ReadStatements(module, Rank::kUsual, 0);
  // Later statements take precedence; among alternatives, the first.
  std::stable_sort(names.sources.begin(), names.sources.end(),
                   [](const NameSource& a, const NameSource& b) {
                     if (a.name != b.name) return a.name < b.name;
                     if (a.rank != b.rank) return a.rank < b.rank;
                     return a.rank == Rank::kUsual ? a.place > b.place : a.place < b.place;
                   });
  names.sources.shrink_to_fit();
  std::reverse(names.stars.begin(), names.stars.end());
  return names;
}

}  // namespace shapewise
