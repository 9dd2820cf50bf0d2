#include "pipeline/program_text.h"

#include <algorithm>
#include <map>
#include <memory>
#include <span>
#include <tuple>
#include <utility>

#include "advise/python_lines.h"
#include "causes/value_use.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "model/code_owner.h"
#include "model/python_text.h"
#include "model/resume_name.h"
#include "model/source_ref.h"
#include "support/text_scan.h"
#include "syntax/outline.h"

namespace shapewise {
namespace {

/// Longer texts are not programs.
constexpr size_t kMaxProgramBytes = size_t{4} << 20;

struct Statement {
  std::string_view text;  ///< all of its lines; of `if`, `def` and the like the head
  uint32_t line = 0;
  uint32_t indent = 0;
};

/// How a value is used, and where.
struct FoundUse {
  ValueUse use = ValueUse::kUnknown;
  uint32_t line = 0;

  /// Replaces it by `other` if that needs the value more.
  void Note(const FoundUse& other) {
    if (other.use > use) *this = other;
  }
};

/// How many names a value is followed through, each assigned from the one before it.
constexpr int kMaxAliases = 8;

/// The statements of a function by the words in them.
class FunctionBody {
 public:
  explicit FunctionBody(std::span<const Statement> body) : body_(body) {
    for (size_t i = 0; i < body.size(); ++i) {
      ForEachWord(body[i].text, [&](std::string_view word) {
        std::vector<size_t>& statements = by_word_[word];
        if (statements.empty() || statements.back() != i) statements.push_back(i);
      });
    }
  }

  /// The use of the variable or attribute `source` that needs its value most, also by other names
  /// that it is assigned to: "n" in "n = self.steps".
  FoundUse UseOf(const std::string& source, int num_aliases = 0) {
    const auto [known, is_new] = uses_.try_emplace(source);
    if (!is_new) return known->second;  // also within a ring of names
    FoundUse found;
    const SourceRef ref = ParseSource(source);
    const auto statements = by_word_.find(ref.LastName());
    if (statements == by_word_.end()) return found;
    for (const size_t i : statements->second) {
      const Statement& statement = body_[i];
      if (ref.IsAttribute() && !HasText(statement.text, "." + std::string(ref.LastName())))
        continue;
      found.Note({FindUse(statement.text, source), statement.line});
      const std::string_view alias = AssignedName(statement.text);
      const bool is_copy = !alias.empty() && statement.text.ends_with(source) &&
                           Trim(statement.text.substr(alias.size())) == "= " + source;
      if (is_copy && num_aliases < kMaxAliases) {
        found.Note(UseOf(std::string(alias), num_aliases + 1));
      }
    }
    uses_[source] = found;
    return found;
  }

  /// The same for the size of the tensor `tensor` in `dim`: "doc.shape[1]", or "n" in
  /// "b, n = doc.shape".
  FoundUse UseOfSize(const std::string& tensor, size_t dim) {
    FoundUse found;
    const std::string number = std::to_string(dim);
    std::vector<std::string> spellings = {tensor + ".shape[" + number + "]",
                                          tensor + ".size(" + number + ")"};
    if (dim == 0) spellings.push_back("len(" + tensor + ")");
    const auto statements = by_word_.find(ParseSource(tensor).LastName());
    if (statements == by_word_.end()) return found;
    for (const size_t i : statements->second) {
      const Statement& statement = body_[i];
      for (const std::string& spelling : spellings) {
        const size_t at = FindText(statement.text, spelling);
        if (at == kNotFound) continue;
        std::string code(statement.text);
        found.Note({FindUse(code.replace(at, spelling.size(), "size"), "size"), statement.line});
      }
      const size_t equals = FindText(statement.text, " = ");
      if (equals == kNotFound) continue;
      const std::string_view value = Trim(statement.text.substr(equals + 3));
      llvm::SmallVector<llvm::StringRef, 4> names;
      llvm::StringRef(statement.text.substr(0, equals)).split(names, ',');
      const bool is_one = names.size() == 1 && llvm::is_contained(spellings, value);
      const bool is_unpacked =
          names.size() > dim && (value == tensor + ".shape" || value == tensor + ".size()");
      if (is_one || is_unpacked) found.Note(UseOf(names[is_one ? 0 : dim].trim().str()));
    }
    return found;
  }

 private:
  static void ForEachWord(std::string_view text, auto&& visit) {
    for (size_t i = 0; i < text.size();) {
      const size_t begin = i;
      while (i < text.size() && IsWordByte(text[i])) ++i;
      if (i > begin) visit(text.substr(begin, i - begin));
      i += i == begin;
    }
  }

  std::span<const Statement> body_;
  std::map<std::string_view, std::vector<size_t>> by_word_;
  std::map<std::string, FoundUse> uses_;
};

/// A file of the program.
class ProgramFile {
 public:
  explicit ProgramFile(std::string text) : text_(std::move(text)) {
    const std::vector<size_t> starts = LineStarts(text_);
    size_t line = 0;
    for (const FileSpan& span : ScanPython(text_).logical_lines) {
      while (line < starts.size() && starts[line] <= span.begin) ++line;
      statements_.push_back({span.Of(text_), static_cast<uint32_t>(line),
                             static_cast<uint32_t>(span.begin - starts[line - 1])});
    }
  }
  ProgramFile(const ProgramFile&) = delete;

  /// The body of the function of `place`, whose line is that of its head, or `is_within` it; null:
  /// the file does not have it.
  FunctionBody* BodyOf(const Place& place, bool is_within) {
    const auto [at, is_new] = bodies_.try_emplace({place.function, place.line, is_within});
    if (is_new) at->second = ReadBody(place, is_within);
    return at->second.get();
  }

 private:
  std::unique_ptr<FunctionBody> ReadBody(const Place& place, bool is_within) const {
    auto at = std::ranges::upper_bound(statements_, place.line, {}, &Statement::line);
    if (at == statements_.begin()) return nullptr;
    --at;
    const std::optional<ResumeName> resume = ParseResumeName(place.function);
    std::string_view name = resume ? resume->function : std::string_view(place.function);
    name = name.substr(name.rfind('.') + 1);
    if (at->line == place.line) {
      while (at != statements_.end() && at->text.starts_with('@')) ++at;
    }
    if (at == statements_.end()) return nullptr;
    // The rest of a function after a break has the line of the break.
    if ((is_within || resume) && NameOfDef(at->text).empty()) {
      uint32_t indent = at->indent;
      while (at != statements_.begin() && (at->indent >= indent || NameOfDef(at->text).empty())) {
        indent = std::min(indent, at->indent);
        --at;
      }
    } else if (at->line < place.line) {
      return nullptr;
    }
    if (NameOfDef(at->text) != name) return nullptr;
    const auto end = std::find_if(at + 1, statements_.end(),
                                  [&](const Statement& one) { return one.indent <= at->indent; });
    return std::make_unique<FunctionBody>(std::span(at + 1, end));
  }

  std::string text_;
  std::vector<Statement> statements_;
  std::map<std::tuple<std::string, uint32_t, bool>, std::unique_ptr<FunctionBody>> bodies_;
};

/// Whether the log leaves open what made a size a constant although it had changed.
bool IsUnexplainedSize(const Cause& cause) {
  return cause.culprit->guard_class == GuardClass::kSize && cause.culprit->dim >= 0 &&
         cause.constant_by == ConstantBy::kUnknown;
}

/// The variable or attribute that `cause` is about, as the program writes it; empty: none.
std::string ValueOf(const Cause& cause) {
  if (cause.kind != CauseKind::kRecompile || !cause.culprit) return {};
  const GuardClass guard_class = cause.culprit->guard_class;
  const bool is_value = guard_class == GuardClass::kInt || guard_class == GuardClass::kFloat ||
                        guard_class == GuardClass::kBool || guard_class == GuardClass::kStr ||
                        IsUnexplainedSize(cause);
  const SourceRef source = ParseSource(cause.culprit->source);
  const bool is_named =
      (source.root == SourceRef::Root::kArgument || source.root == SourceRef::Root::kSelf) &&
      source.property == SourceRef::Property::kValue &&
      std::ranges::all_of(source.path, [](const SourceStep& step) {
        return step.kind == SourceStep::Kind::kAttribute || step.kind == SourceStep::Kind::kModule;
      });
  return is_value && is_named ? SpellSources(cause.culprit->source, SourceSpelling::kPython)
                              : std::string();
}

/// Sets what makes the size of `cause` a constant, if `found` does.
void AddPin(const FoundUse& found, Cause& cause) {
  if (found.use < ValueUse::kConstant) return;
  cause.constant_by = ConstantBy::kCode;
  cause.user = {cause.where.function, cause.where.file, found.line};
  cause.facts.emplace_back("needed_at", std::string(PathFromPackage(cause.where.file)) + ":" +
                                            std::to_string(found.line));
}

/// Sets the use of the value of `cause` to `found`, a line of `file`, if that needs it more.
void AddUse(const FoundUse& found, const std::string& file, Cause& cause) {
  if (found.use <= cause.use) return;
  cause.use = found.use;
  std::erase_if(cause.facts, [](const auto& fact) { return fact.first == "used_line"; });
  std::string line = std::to_string(found.line);
  if (file != cause.where.file) line += " of " + std::string(llvm::sys::path::filename(file));
  cause.facts.emplace_back("used_line", std::move(line));
}

}  // namespace

std::optional<SourceText> ReadSourceFile(const std::string& root, std::string_view path,
                                         FileSource& files) {
  const auto read = [&](const std::string& from, std::string_view name) {
    std::optional<SourceText> source;
    llvm::sys::fs::file_status status;
    const bool is_special = !llvm::sys::fs::status(from, status) &&
                            status.type() != llvm::sys::fs::file_type::regular_file;
    if (is_special) return source;  // opening a pipe waits
    Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = files.Open(from);
    if (!buffer) {
      llvm::consumeError(buffer.takeError());
    } else if ((*buffer)->getBufferSize() <= kMaxProgramBytes) {
      source = {std::string(name), std::string((*buffer)->getBuffer())};
    }
    return source;
  };
  if (!path.ends_with(".py") || HasText(path, "..") || HasText(path, "\n")) return std::nullopt;
  std::string_view rest = path;
  while (rest.starts_with('/')) rest.remove_prefix(1);
  if (root.empty()) return read(std::string(path), rest);
  while (true) {
    if (auto source = read(root + "/" + std::string(rest), rest)) return source;
    const size_t slash = rest.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(slash + 1);
  }
}

void AddUsesInProgram(const ReadSource& read, std::vector<Cause>& causes) {
  std::map<std::string, std::unique_ptr<ProgramFile>> files;
  const auto body_of = [&](const Place& place, bool is_within) -> FunctionBody* {
    const auto [file, is_new] = files.try_emplace(place.file);
    if (is_new) {
      if (std::optional<SourceText> source = read(place.file)) {
        file->second = std::make_unique<ProgramFile>(std::move(source->text));
      }
    }
    return file->second ? file->second->BodyOf(place, is_within) : nullptr;
  };
  for (Cause& cause : causes) {
    const std::string value = ValueOf(cause);
    if (value.empty()) continue;
    FunctionBody* const body = body_of(cause.where, /*is_within=*/false);
    if (body == nullptr) continue;
    if (IsUnexplainedSize(cause)) {
      AddPin(body->UseOfSize(value, static_cast<size_t>(cause.culprit->dim)), cause);
      continue;
    }
    AddUse(body->UseOf(value), cause.where.file, cause);
    // A module in the compiled one reads its own attribute: "self.codes.step" is "self.step" there.
    if (!value.starts_with("self.") || cause.user.file.empty()) continue;
    FunctionBody* const inner = body_of(cause.user, /*is_within=*/true);
    if (inner == nullptr) continue;
    AddUse(inner->UseOf("self" + value.substr(value.rfind('.'))), cause.user.file, cause);
  }
}

}  // namespace shapewise
