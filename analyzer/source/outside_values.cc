// Values that are not the result of a call: attributes, constants, annotations, names of
// parameters.

#include <algorithm>
#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "source/outside.h"
#include "source/outside_table.h"
#include "source/word_list.h"

namespace shapewise {
namespace {

/// Names with the same begin and the same end.
struct NamePattern {
  std::string begin;
  std::string end;
  bool crosses_dots = false;  ///< whether dots may be between them

  bool Fits(std::string_view name) const {
    return name.size() >= begin.size() + end.size() && name.starts_with(begin) &&
           name.ends_with(end) &&
           (crosses_dots ||
            name.substr(begin.size(), name.size() - begin.size() - end.size()).find('.') ==
                std::string_view::npos);
  }
};

/// The sections of values.txt with one title.
class ValueTable {
 public:
  explicit ValueTable(std::string_view title) {
    const char* last = nullptr;
    ForEachName(OutsideFile("values.txt"),
                [&](llvm::StringRef name, llvm::StringRef head, llvm::StringRef section) {
                  const auto [own_title, prefixes] = section.rtrim(']').split(' ');
                  if (own_title != llvm::StringRef(title)) return;
                  if (head.data() != last) lines_.push_back({.value = ReadValue(head)});
                  last = head.data();
                  llvm::SmallVector<llvm::StringRef, 4> each;
                  prefixes.split(each, ' ');
                  for (const llvm::StringRef prefix : each) Add(prefix == "-" ? "" : prefix, name);
                });
  }

  /// The value of the first line that fits; unknown: none does.
  Value Find(std::string_view name) const {
    const auto word = words_.find(llvm::StringRef(name));
    size_t found = word == words_.end() ? lines_.size() : word->second;
    for (const auto& [pattern, line] : patterns_) {
      if (line >= found) break;
      const auto fits = [&](const NamePattern& one) { return one.Fits(name); };
      if (fits(pattern) && std::ranges::none_of(lines_[line].excluded, fits)) found = line;
    }
    return found < lines_.size() ? lines_[found].value : Value();
  }

 private:
  struct Line {
    Value value;
    std::vector<NamePattern> excluded{};
  };

  void Add(llvm::StringRef prefix, llvm::StringRef word) {
    const size_t line = lines_.size() - 1;
    const bool is_excluded = word.consume_front("!");
    if (!word.contains('*')) {
      words_.try_emplace((prefix + word).str(), line);
      return;
    }
    auto [begin, end] = word.split('*');
    const bool crosses_dots = end.consume_front("*");
    NamePattern pattern{(prefix + begin).str(), end.str(), crosses_dots};
    if (is_excluded) {
      lines_[line].excluded.push_back(std::move(pattern));
    } else {
      patterns_.emplace_back(std::move(pattern), line);
    }
  }

  std::vector<Line> lines_;
  llvm::StringMap<size_t> words_;  ///< indices into lines_
  std::vector<std::pair<NamePattern, size_t>> patterns_;
};

Value SettingOf(std::string_view name) {
  static const ValueTable settings("setting");
  return settings.Find(name);
}

/// An attribute in the table of a tensor, an array or a sequence.
Value AttributeIn(const ValueTable& table, const Value& subject, std::string_view name) {
  Value value = table.Find(name);
  if (value.kind == ValueKind::kUnknown) return {};
  value.certainty = std::min(value.certainty, subject.certainty);
  if (name == "dtype") value.traits |= static_cast<uint16_t>(subject.traits & kDtypeTraits);
  return value;
}

Value TensorAttribute(const Value& tensor, std::string_view name) {
  static const ValueTable attributes("tensor");
  if (HasWord<"T mT H mH data real imag">(name)) {
    const int of_the_input = Bit(Trait::kArgument) | Bit(Trait::kStored) | Bit(Trait::kOptional);
    Value same = tensor;
    same.traits = static_cast<uint16_t>((same.traits & ~of_the_input) | Bit(Trait::kMade));
    return same;
  }
  const bool is_method =
      name.starts_with("is_") && FindOutside("torch.Tensor.", name).group != nullptr;
  return is_method ? Value() : AttributeIn(attributes, tensor, name);
}

}  // namespace

Value ReadValue(llvm::StringRef text) {
  Value value;
  llvm::SmallVector<llvm::StringRef, 4> words;
  text.split(words, ' ');
  for (const llvm::StringRef word : words) {
    if (!word.getAsInteger(10, value.certainty)) continue;
    bool is_kind = false;
    for (int kind = 0; kind <= static_cast<int>(ValueKind::kOutside) && !is_kind; ++kind) {
      is_kind = ValueKindName(static_cast<ValueKind>(kind)) == std::string_view(word);
      if (is_kind) value.kind = static_cast<ValueKind>(kind);
    }
    for (int bit = 1; bit <= Bit(Trait::kExtra); bit <<= 1) {
      const bool is_trait = TraitName(static_cast<Trait>(bit)) == std::string_view(word);
      if (is_trait) value.traits |= static_cast<uint16_t>(bit);
      is_kind |= is_trait;
    }
    assert(is_kind && "neither a kind nor a trait");
  }
  return value;
}

Value AttributeOf(const Value& subject, std::string_view name) {
  static const ValueTable of_arrays("array");
  static const ValueTable of_modules("module");
  static const ValueTable of_sequences("sequence");
  const int constant = Bit(Trait::kConstant);
  switch (subject.kind) {
    case ValueKind::kTensor:
      return TensorAttribute(subject, name);
    case ValueKind::kArray:
      return HasWord<"T real imag flat">(name) ? subject : AttributeIn(of_arrays, subject, name);
    case ValueKind::kModule: {
      const Value value = of_modules.Find(name);
      if (value.kind != ValueKind::kUnknown) return value;
      const ValueKind kind = SettingOf(name).kind;
      return kind == ValueKind::kUnknown ? Value() : MakeValue(kind, constant, 80);
    }
    case ValueKind::kSequence:
      return AttributeIn(of_sequences, subject, name);
    case ValueKind::kBool:
    case ValueKind::kInt:
    case ValueKind::kFloat:
      return HasWord<"real imag numerator denominator">(name) ? subject : Value();
    case ValueKind::kObject:
    case ValueKind::kMapping: {
      if (!subject.Has(Trait::kConfig)) return {};
      const ValueKind kind = SettingOf(name).kind;
      return MakeValue(name.ends_with("config") ? ValueKind::kObject : kind,
                       constant | Bit(Trait::kConfig), kind == ValueKind::kUnknown ? 100 : 80);
    }
    case ValueKind::kOutside:
      // torch.float32.is_floating_point, torch.finfo(...).min.
      return HasWord<"is_floating_point is_complex is_signed">(name)
                 ? MakeValue(ValueKind::kBool, constant)
                 : Value();
    default:
      return {};
  }
}

Value ValueOfName(std::string_view dotted) {
  static const ValueTable names("name");
  return names.Find(dotted);
}

Value ValueOfType(std::string_view dotted) {
  static const ValueTable types("type");
  return types.Find(dotted);
}

Value GuessByName(std::string_view name) {
  static const ValueTable arguments("argument");
  const ValueKind kind = SettingOf(name).kind;
  const Value value = kind == ValueKind::kBool ? Value() : arguments.Find(name);
  if (value.kind != ValueKind::kUnknown) return value;
  return kind == ValueKind::kUnknown ? Value() : MakeValue(kind, 0, 80);
}

}  // namespace shapewise
