#include "ingest/formats/torch_log/symbol_line.h"

#include <algorithm>
#include <string>

#include "shapewise/model/guard.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

constexpr std::string_view kGuardAdded = " [guard added]";

/// The text before `separator`, which goes with it; all of `text` if it is not there.
std::string_view TakeUntil(std::string_view& text, std::string_view separator) {
  const size_t at = FindText(text, separator);
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at == kNotFound ? text.size() : at + separator.size());
  return taken;
}

/// `text` is "return x + 1  # m.py:6 in f (builder.py:4960 in <lambda>), for more ..."; 2.2 prints
/// "at m.py:6 in f (...)". The reader of guards knows comments of both forms.
void SetPlace(std::string_view text, StringPool& strings, SymbolFact& fact) {
  text = Trim(text.substr(0, FindText(text, ", for more info run with")));
  ConsumeFront(text, "at ");
  const std::string commented = "s == 0  # " + std::string(text);
  const GuardFailure parsed = ParseGuardFailure(commented);
  fact.user_file = strings.Intern(parsed.user_file);
  fact.user_line = parsed.user_line;
  fact.user_function = strings.Intern(parsed.user_function);
}

/// "[2, int_oo]" at the front.
std::string_view TakeRange(std::string_view& text) {
  if (!text.starts_with('[')) return {};
  const size_t end = text.find(']');
  if (end == kNotFound) return {};
  const std::string_view range = text.substr(0, end + 1);
  text.remove_prefix(end + 1);
  return range;
}

}  // namespace

bool IsSymbolLine(std::string_view text) {
  return text.starts_with("create_symbol ") || text.starts_with("create_unbacked_sym") ||
         (text.starts_with("eval ") && HasText(text, kGuardAdded)) ||
         text.starts_with("set_replacement ");
}

bool ParseSymbolLine(std::string_view text, StringPool& strings, SymbolFact& fact) {
  if (ConsumeFront(text, "create_symbol ")) {
    const std::string_view symbol = TakeUntil(text, " = ");
    const std::string_view value = TakeUntil(text, " for ");
    // A duck-sized symbol is another one: the line that created that tells its value.
    if (HasText(symbol, " ") || value.empty()) return false;
    const size_t bracket = FindText(text, " [");
    if (bracket == kNotFound) return false;
    fact.kind = SymbolFact::Kind::kCreated;
    fact.symbol = strings.Intern(symbol);
    fact.value = strings.Intern(value);
    fact.source = strings.Intern(text.substr(0, bracket));
    text.remove_prefix(bracket + 1);
    fact.range = strings.Intern(TakeRange(text));
    SetPlace(text, strings, fact);
    return true;
  }
  if (text.starts_with("create_unbacked_sym")) {
    TakeUntil(text, " ");
    fact.kind = SymbolFact::Kind::kCreatedUnbacked;
    fact.symbol = strings.Intern(TakeUntil(text, " "));
    fact.range = strings.Intern(TakeRange(text));
    SetPlace(text, strings, fact);
    return true;
  }
  if (ConsumeFront(text, "eval ")) {
    if (text.starts_with("[guard suppressed]")) return false;
    const size_t end = FindText(text, kGuardAdded);
    if (end == kNotFound) return false;
    fact.kind = SymbolFact::Kind::kGuardAdded;
    fact.expr = strings.Intern(text.substr(0, end));
    SetPlace(text.substr(end + kGuardAdded.size()), strings, fact);
    return true;
  }
  if (ConsumeFront(text, "set_replacement ")) {
    const std::string_view symbol = TakeUntil(text, " = ");
    const std::string_view value = Trim(TakeUntil(text, " ("));
    if (!IsInteger(value) || HasText(symbol, " ")) return false;
    fact.kind = SymbolFact::Kind::kSpecialized;
    fact.symbol = strings.Intern(symbol);
    fact.value = strings.Intern(value);
    fact.expr = strings.Intern(TakeUntil(text, ")"));
    return true;
  }
  return false;
}

}  // namespace shapewise
