// Each list becomes an array of its own, in front of the arrays that refer to it:
//   constexpr std::string_view kList0[] = {"size"sv, "stride"sv};
//   constexpr RuleCondition kList1[] = {{0, false, kList0}};

#include "rules/table_writer.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace shapewise {
namespace {

constexpr std::string_view TypeName(std::string_view) { return "std::string_view"; }
constexpr std::string_view TypeName(CauseKind) { return "CauseKind"; }
constexpr std::string_view TypeName(Severity) { return "Severity"; }
constexpr std::string_view TypeName(const RuleCondition&) { return "RuleCondition"; }
constexpr std::string_view TypeName(const AdviceTemplate&) { return "AdviceTemplate"; }
constexpr std::string_view TypeName(const NextStepTemplate&) { return "NextStepTemplate"; }
constexpr std::string_view TypeName(const Rule&) { return "Rule"; }
constexpr std::string_view TypeName(const CodeRule&) { return "CodeRule"; }
constexpr std::string_view TypeName(const LibraryRemedy&) { return "LibraryRemedy"; }
constexpr std::string_view TypeName(const RegistryEntry&) { return "RegistryEntry"; }
constexpr std::string_view TypeName(const RegistryWord&) { return "RegistryWord"; }

/// Writes values as initializers. Structured bindings fail to compile if a struct gains a field;
/// for derived structs, which do not support them, the compiler of the result warns of a missing
/// field.
class TableWriter {
 public:
  /// The arrays that the values written so far refer to.
  const std::string& arrays() const { return arrays_; }

  std::string Of(std::string_view text) {
    if (text.empty()) return "{}";
    std::string literal = "\"";
    for (const char c : text) {
      if (c == '\n') {
        literal += "\\n\"\n\"";
      } else if (c == '"' || c == '\\') {
        literal.append({'\\', c});
      } else if (static_cast<unsigned char>(c) < ' ') {
        constexpr int kOctalDigit = 8;
        literal.append({'\\', '0', static_cast<char>('0' + c / kOctalDigit),
                        static_cast<char>('0' + c % kOctalDigit)});
      } else {
        literal += c;
      }
    }
    return literal + "\"sv";
  }

  std::string Of(bool value) { return value ? "true" : "false"; }
  std::string Of(uint8_t value) { return std::to_string(value); }

  std::string Of(double value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
    return text;
  }

  template <typename Enum>
    requires std::is_enum_v<Enum>
  std::string Of(Enum value) {
    return std::string(TypeName(value)) + "{" + std::to_string(static_cast<int>(value)) + "}";
  }

  template <typename Value>
  std::string Of(const std::optional<Value>& value) {
    return value ? Of(*value) : "std::nullopt";
  }

  std::string Of(const RuleHead& head) {
    const auto& [code, name, group, path, summary, since, severity, torch, message, markdown] =
        head;
    return Braces(code, name, group, path, summary, since, severity, torch, message, markdown);
  }

  std::string Of(const RuleCondition& condition) {
    const auto& [kind, flag, words] = condition;
    return Braces(kind, flag, words);
  }

  std::string Of(const AdviceTemplate& advice) {
    const auto& [conditions, kind, text, code, trap, torch, confidence] = advice;
    return Braces(conditions, kind, text, code, trap, torch, confidence);
  }

  std::string Of(const NextStepTemplate& step) {
    const auto& [conditions, text, code] = step;
    return Braces(conditions, text, code);
  }

  std::string Of(const Rule& rule) {
    return Braces(static_cast<const RuleHead&>(rule), rule.over, rule.conditions, rule.advice,
                  rule.next_steps);
  }

  std::string Of(const CodeRule& rule) {
    return Braces(static_cast<const RuleHead&>(rule), rule.breaks, rule.confidence,
                  rule.is_captured, rule.is_quiet, rule.fold, rule.advice, rule.advice_for,
                  rule.is_of_reader, rule.where, rule.fix);
  }

  std::string Of(const LibraryRemedy& remedy) {
    const auto& [library, folders, server, over, instead_of, advice] = remedy;
    return Braces(library, folders, server, over, instead_of, advice);
  }

  std::string Of(const RegistryEntry& entry) {
    const auto& [id, type, category, fix, hint, alias, also] = entry;
    return Braces(id, type, category, fix, hint, alias, also);
  }

  std::string Of(const RegistryWord& word) { return Braces(word.code, word.text); }

  std::string Of(const RuleTables& tables) {
    const auto& [rules, code_rules, remedies, registry, categories, fixes, hints] = tables;
    return Braces(rules, code_rules, remedies, registry, categories, fixes, hints);
  }

  /// The name of an array with these items. Equal lists share one.
  template <typename Item>
  std::string Of(std::span<const Item> items) {
    if (items.empty()) return "{}";
    std::string array = "constexpr " + std::string(TypeName(items.front())) + " ";
    std::string content = "[] = {\n";
    for (const Item& item : items) content += Of(item) + ",\n";
    content += "};\n";
    const auto [name, is_new] =
        names_.emplace(array + content, "kList" + std::to_string(names_.size()));
    if (is_new) arrays_ += array + name->second + content;
    return name->second;
  }

 private:
  template <typename... Fields>
  std::string Braces(const Fields&... fields) {
    const llvm::SmallVector<std::string> texts = {Of(fields)...};
    return "{" + llvm::join(texts, ", ") + "}";
  }

  std::string arrays_;
  std::map<std::string, std::string> names_;  // of arrays, by type and content
};

}  // namespace

std::string WriteTables(const RuleTables& tables) {
  TableWriter writer;
  const std::string all = writer.Of(tables);
  return R"(// Written by write_tables_main.cc.

#include "rules/rule_tables.h"

namespace shapewise {
namespace {

using namespace std::string_view_literals;

)" + writer.arrays() +
         R"(
}  // namespace

const RuleTables& BuiltinTables() {
  static constexpr RuleTables tables = )" +
         all + R"(;
  return tables;
}

}  // namespace shapewise
)";
}

}  // namespace shapewise
