// Recompile records and recompile-limit warnings.
//
//   Recompiling function f in /w/train.py:4
//       triggered by the following guard failure(s):
//       - 0/1: tensor 'x' size mismatch at index 0. expected 5, actual 6
//       - 0/0: self.width == 3          # return x * self.width  # w/train.py:6 in f
//       - User stack trace:
//       -   File "/w/train.py", line 6, in f
//
//   torch._dynamo hit config.recompile_limit (8)
//      function: 'f' (/w/train.py:4)
//      last reason: 0/7: tensor 'x' size mismatch at index 0. expected 11, actual 12

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "ingest/messages/message_rows.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/wording.h"
#include "model/guard.h"
#include "support/literal_set.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// Parses "f in /w/train.py:4": the compiled frame. Returns what follows it on the line.
std::string_view ReadFunctionInFile(std::string_view text, ParsedMessage& parsed,
                                    EventDetail& detail) {
  // "<graph break in f> in train.py:4" (2.0, 2.1): the first " in " is part of the name.
  const size_t close = text.starts_with("<") ? text.find('>') : kNotFound;
  const size_t in = FindText(text, " in ", close == kNotFound ? 0 : close);
  if (in == kNotFound && close == kNotFound) {
    // By hand: "f train.py:4", "f ... tensor 'x' size mismatch".
    const std::string_view name = text.substr(0, text.find(' '));
    detail.function = parsed.Intern(name);
    return text.substr(name.size());
  }
  detail.function = parsed.Intern(Trim(text.substr(0, in)));
  if (in == kNotFound) return {};
  std::string_view rest;
  const CodePlace place = SplitFileLine(text.substr(in + 4), &rest);
  detail.file = parsed.Intern(place.file);
  detail.function_line = place.line;
  return rest;
}

/// Whether a bullet begins with the id of a cache entry: "0/1: ", "!0/3/0: ".
bool HasEntryId(std::string_view text) {
  ConsumeFront(text, "!");
  const size_t end = text.find_first_not_of("0123456789/_");
  return end != kNotFound && text[end] == ':' && text.find('/') < end;
}

/// Whether the value that `guard` compares with was cut off.
bool LacksValue(std::string_view guard) { return guard.ends_with(" =="); }

/// Marks of mark_dynamic, errors inside guards and guards without their end have no class of their
/// own.
bool IsKnownOther(std::string_view guard) {
  for (const std::string_view words : {"_dynamo_", " is not defined", " object has no attribute ",
                                       "Error: ", "Unexpected recompilation"}) {
    if (HasText(guard, words)) return true;
  }
  return LacksValue(guard);
}

void AddReason(std::string_view text, ParsedMessage& parsed, ParsedFact& fact) {
  const GuardFailure failure = ParseGuardFailure(text);
  if (failure.guard_class == GuardClass::kOther && failure.value_type == PythonType::kUnknown &&
      !IsKnownOther(failure.guard)) {
    parsed.damage.push_back(Stat::guard_unknown);
  }
  // guards.py strips L[...] from reasons since 2.7 and names the entry since 2.5.
  if (text.starts_with("tensor 'L[") || HasText(text, ": tensor 'L[")) {
    parsed.marks.push_back({"sources in reasons are spelled L['x']", 0, 206});
  } else if (!failure.entry.empty() && HasText(text, ": tensor '")) {
    parsed.marks.push_back({"sources in reasons are spelled x", 207, 0});
  } else if (!failure.entry.empty()) {
    parsed.marks.push_back({"reasons name the cache entry", 205, 0});
  }
  fact.reasons.push_back(InternFailure(failure, parsed.strings));
}

/// Splits "- a - b" in a record that was joined on one line.
void SplitFlatBullets(std::string_view text, std::vector<std::string_view>& bullets) {
  size_t at = FindText(text, "- ");
  while (at != kNotFound) {
    size_t next = FindText(text, "- ", at + 2);
    // "- " also occurs inside guards; a bullet begins with an entry id or a known word.
    while (next != kNotFound) {
      const std::string_view after = TrimLeft(text.substr(next + 2));
      if (HasEntryId(after) ||
          (text[next - 1] == ' ' && BeginsWithAny(after, "tensor '|User stack"))) {
        break;
      }
      next = FindText(text, "- ", next + 2);
    }
    const std::string_view bullet =
        text.substr(at + 2, next == kNotFound ? kNotFound : next - at - 2);
    if (!Trim(bullet).empty()) bullets.push_back(Trim(bullet));
    at = next;
  }
}

/// 2.1 prints the tuple itself: `('Recompiling function f in x.py:3', 'triggered by the following
/// guard failure: ["L['x'] == 3"]')`.
void AddTupleReasons(std::string_view text, ParsedMessage& parsed, ParsedFact& fact) {
  const size_t at = FindText(text, "guard failure");
  if (at == kNotFound) return;
  const size_t colon = text.find(':', at);
  if (colon == kNotFound) return;
  std::string_view list = Trim(text.substr(colon + 1));
  list = list.substr(0, list.find_last_not_of(")'\"") + 1);
  ConsumeFront(list, "[");
  if (list.ends_with("]")) list.remove_suffix(1);
  list = Trim(list);
  // What repr() escaped: the quotes inside the quoted text.
  std::string unescaped;
  for (size_t i = 0; i < list.size(); ++i) {
    if (list[i] == '\\' && i + 1 < list.size()) ++i;
    unescaped += list[i];
  }
  list = unescaped;
  if (list.size() > 1 && (list.front() == '"' || list.front() == '\'') &&
      list.back() == list.front()) {
    list = list.substr(1, list.size() - 2);
  }
  if (!list.empty()) AddReason(list, parsed, fact);
}

/// "filename: '/w/t.py', function name: 'g', line number: 6" of a refused recompile.
void ReadStanceFrame(std::string_view text, ParsedMessage& parsed, EventDetail& detail) {
  detail.file = parsed.Intern(TextBetween(text, "filename: '", "'"));
  detail.function = parsed.Intern(TextBetween(text, "function name: '", "'"));
  std::string_view line = TextBetween(text, "line number: ", "\n");
  detail.function_line = parsed.ConsumeNumber<uint32_t>(line).value_or(0);
}

/// The reason in what torch._dynamo.optimize's guard_fail_fn gets, before 2.2:
/// GuardFail(reason="tensor 'x' size mismatch at index 0. expected 4, actual 5", orig_code=<code
/// object f at 0x27, file "/w/train.py", line 4>)
std::string_view ReasonOfGuardFail(std::string_view text) {
  const std::string_view literal = TextBetween(text, "GuardFail(reason=", ", orig_code=");
  return literal.size() > 1 ? literal.substr(1, literal.size() - 2) : std::string_view();
}

/// The reasons of a limit warning: "last reason: 0/7: ..." since 2.2; `reasons:  ["..."]` or the
/// bare text before.
void AddLimitReasons(std::string_view text, ParsedMessage& parsed, ParsedFact& fact) {
  text = Trim(text);
  if (text.starts_with("GuardFail(reason=")) text = ReasonOfGuardFail(text);
  if (!ConsumeFront(text, "[") || text.starts_with("]")) {
    if (!text.empty()) AddReason(text, parsed, fact);
    return;
  }
  // Some builds print one list per failure.
  while (ConsumeFront(text, "[")) {
  }
  // A Python list of strings, each in the quotes that it does not contain.
  while (!text.empty() && (text.front() == '\'' || text.front() == '"')) {
    const size_t end = text.find(text.front(), 1);
    AddReason(text.substr(1, end == kNotFound ? kNotFound : end - 1), parsed, fact);
    if (end == kNotFound) break;
    text = text.substr(std::min(text.find_first_not_of("], [", end + 1), text.size()));
  }
}

/// The words that open a part of a limit warning.
constexpr std::string_view kLimitParts[] = {
    "function: ",       "last reason: ", "reasons: ", "To log all", "o diagnose recompilation",
    "User stack trace:"};

/// The start of the next part of a limit warning, after the one whose value begins at `from`.
size_t FindNextLimitPart(const LiteralSet& words, std::string_view text, size_t from) {
  size_t at = words.Find(text, from);
  // A part begins after a blank; inside a reason the same letters may be part of a name.
  while (at != kNotFound && at != from && std::string_view(" Tt").find(text[at - 1]) == kNotFound) {
    at = words.Find(text, at + 1);
  }
  return at;
}

/// "'f' (/w/train.py:4)" of a limit warning. People also write it without quotes.
void ReadLimitFunction(std::string_view text, ParsedMessage& parsed, EventDetail& detail) {
  std::string_view rest = Trim(text);
  if (ConsumeFront(rest, "'")) {
    const size_t quote = std::min(rest.find('\''), rest.size());
    detail.function = parsed.Intern(rest.substr(0, quote));
    rest.remove_prefix(quote);
  } else if (const std::string_view name = rest.substr(0, rest.find_first_of(" (,"));
             IsIdentifier(name)) {
    detail.function = parsed.Intern(name);
  }
  const size_t open = rest.find('(');
  if (open == kNotFound) return;
  const CodePlace place = SplitFileLine(rest.substr(open + 1));
  std::string_view file = place.file;
  if (place.line == 0 && file.ends_with(")")) file.remove_suffix(1);
  detail.file = parsed.Intern(file);
  detail.function_line = place.line;
}

/// Reads the parts of a limit warning on one line; a joined warning has several there.
void ReadLimitParts(std::string_view text, ParsedMessage& parsed, ParsedFact& fact) {
  static const LiteralSet words({std::begin(kLimitParts), std::end(kLimitParts)});
  size_t end = kNotFound;
  for (size_t begin = words.Find(text); begin != kNotFound; begin = end) {
    const std::string_view part =
        *std::find_if(std::begin(kLimitParts), std::end(kLimitParts),
                      [&](std::string_view word) { return text.substr(begin).starts_with(word); });
    const size_t value_begin = begin + part.size();
    end = FindNextLimitPart(words, text, value_begin);
    const std::string_view value =
        text.substr(value_begin, end == kNotFound ? kNotFound : end - value_begin);
    if (part == "function: ") ReadLimitFunction(value, parsed, fact.detail);
    if (part == "last reason: " || part == "reasons: ") AddLimitReasons(value, parsed, fact);
  }
}

/// Whether the last line of a limit warning is there: "To diagnose recompilation issues, see ...".
bool EndsWithAdvice(const Record& record) {
  for (size_t i = 0; i < record.num_lines(); ++i) {
    if (HasText(record.line(i), "o diagnose recompilation") ||
        HasText(record.line(i), "To log all recompilation")) {
      return true;
    }
  }
  return false;
}

/// Drops the rest of a reason that was cut off, except the entry, which is still understood.
void DropCutReason(const Record& record, ParsedMessage& parsed, ParsedFact& fact) {
  if (fact.reasons.empty() || EndsWithAdvice(record)) return;
  Reason& last = fact.reasons.back();
  if (LacksValue(parsed.strings.text(last.guard))) {
    last.guard_class = GuardClass::kEmpty;
    fact.detail.cut = true;
  }
  if (!record.ends_input) return;
  // Some recompiles never have a reason, such as those after a change of the backend.
  const bool is_empty = fact.detail.kind() == EventKind::kRecompileLimit &&
                        last.guard_class == GuardClass::kEmpty && last.guard == StrId::kNone;
  // A sentence is useful even without its end.
  const std::string_view guard = parsed.strings.text(last.guard);
  const bool is_sentence = std::count(guard.begin(), guard.end(), ' ') >= 4;
  const bool is_unknown = last.guard_class == GuardClass::kOther && record.is_torn && !is_sentence;
  if (!is_empty && !is_unknown) return;
  // The rest of a guard has no known form.
  if (is_unknown && !parsed.damage.empty()) parsed.damage.pop_back();
  last.guard_class = GuardClass::kEmpty;
  fact.detail.cut = true;
}

}  // namespace

void AddRecompileReasons(const std::vector<std::string_view>& bullets, ParsedMessage& parsed,
                         ParsedFact& fact) {
  const bool any_entry = std::ranges::any_of(bullets, HasEntryId);
  bool in_stack = false;
  size_t num_frames = 0;
  std::string_view outer_code;
  for (const std::string_view bullet : bullets) {
    const bool has_entry = HasEntryId(bullet);
    if (bullet.starts_with("User stack trace:")) num_frames = 0;
    in_stack = !has_entry && (in_stack || bullet.starts_with("User stack trace:"));
    if (has_entry || (!any_entry && !in_stack)) AddReason(bullet, parsed, fact);
    if (!in_stack || fact.reasons.empty()) continue;
    // The outermost frame is that of the compiled function.
    const bool is_frame = bullet.starts_with("File ");
    num_frames += is_frame ? 1 : 0;
    if (!is_frame && num_frames == 1) outer_code = bullet;
    if (is_frame && num_frames == 2) fact.reasons.back().outer_code = parsed.Intern(outer_code);
  }
}

void ParseRecompile(const Record& record, ParsedMessage& parsed) {
  ParsedFact& fact =
      parsed.Add(RecompileFact(), record.raised ? FactRole::kRaised : FactRole::kRecord);
  EventDetail& detail = fact.detail;
  std::vector<std::string_view> bullets;
  const auto add_flat = [&bullets](std::string_view text, std::string_view before) {
    SplitFlatBullets(TextBetween(text, before, "\n"), bullets);
  };
  std::string_view head = TrimLeft(record.line(0));
  if (head.starts_with('"') && HasEntryId(head.substr(1))) {
    // The reason is quoted.
    head = Trim(head.substr(1, head.find('"', 1) - 1));
  }
  const bool is_refusal = ConsumeFront(head, "Detected recompile");
  const bool is_tuple = head.starts_with("('");
  detail.As<RecompileFact>()->fatal = is_refusal || record.raised;
  if (is_refusal) {
    ReadStanceFrame(head, parsed, detail);
    add_flat(head, "guard failure(s):");
  } else if (ConsumeFront(head, "('Recompiling function ")) {
    const size_t quote = FindText(head, "', ");
    ReadFunctionInFile(head.substr(0, quote), parsed, detail);
    AddTupleReasons(head.substr(std::min(quote, head.size())), parsed, fact);
  } else if (ConsumeFront(head, "- ") || HasEntryId(head) || head.starts_with("tensor '")) {
    // The lines before the reasons are missing.
    detail.cut = true;
    bullets.push_back(Trim(head));
  } else if (const std::string_view reason = ReasonOfGuardFail(head); !reason.empty()) {
    const std::string_view code = TextBetween(head, "<code object ", ">");
    detail.function = parsed.Intern(code.substr(0, code.find(' ')));
    detail.file = parsed.Intern(TextBetween(code, "file \"", "\""));
    std::string_view line = code.substr(std::min(code.size(), code.rfind(' ') + 1));
    detail.function_line = parsed.ConsumeNumber<uint32_t>(line).value_or(0);
    bullets.push_back(reason);
  } else if (ConsumeFront(head, "triggered by ")) {
    // The line that names the function is missing.
    detail.cut = true;
    add_flat(head, "guard failure(s):");
  } else {
    ConsumeFront(head, "Recompiling function");
    const std::string_view rest = ReadFunctionInFile(TrimLeft(head), parsed, detail);
    add_flat(rest, "guard failure(s):");
    if (const size_t at = FindText(rest, "tensor '"); bullets.empty() && at != kNotFound) {
      bullets.push_back(rest.substr(at));
    }
  }
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view text = TrimLeft(record.line(i));
    if (text.starts_with("triggered by")) {
      add_flat(text, "guard failure(s):");
    } else if (ConsumeFront(text, "- ") || HasEntryId(text) || text.starts_with("tensor '")) {
      bullets.push_back(Trim(text));
    } else if (text.starts_with("guard ")) {
      add_flat(text, " failures:");
    }
  }
  AddRecompileReasons(bullets, parsed, fact);
  DropCutReason(record, parsed, fact);
  // The tuple of 2.1 has reasons only if a setting enables them.
  const bool lacks_reason = bullets.empty() && fact.reasons.empty() && !is_refusal && !is_tuple;
  detail.cut = detail.cut || lacks_reason || record.is_torn;
}

void ParseLimit(const Record& record, ParsedMessage& parsed) {
  std::string_view head = TrimLeft(record.line(0));
  // "torch._dynamo hit config.recompile_limit (8)", "torchdynamo hit recompilation cache limit
  // (64)".
  const size_t hit = FindText(head.substr(0, 32), " hit ");
  const bool has_head = hit != kNotFound;
  ParsedFact fact;
  fact.role = has_head ? FactRole::kRecord : FactRole::kPart;
  EventDetail& detail = fact.detail;
  LimitFact& limit = detail.fact.emplace<LimitFact>();
  // The other limit is hit by the 256th entry.
  limit.limit_name = LimitName::kRecompileLimit;
  if (has_head) {
    head.remove_prefix(hit + 5);
    ConsumeFront(head, "config.");
    const std::string_view name = head.substr(0, head.find_first_of(" ("));
    if (name.starts_with("accum")) limit.limit_name = LimitName::kAccumulatedRecompileLimit;
    // Renamed in 2.7.
    if (HasText(name, "cache_size_limit")) {
      parsed.marks.push_back({"the limit is called cache_size_limit", 0, 206});
    } else if (HasText(name, "recompile_limit")) {
      parsed.marks.push_back({"the limit is called recompile_limit", 207, 0});
    }
    head.remove_prefix(name.size());
    const size_t open = head.find('(');
    if (open < head.find(':')) {
      head = TrimLeft(head.substr(open + 1));
      limit.limit = parsed.ConsumeNumber<int64_t>(head);
    }
  }
  if (const std::string_view in_head = TextBetween(head, "for function ", "due to the following");
      !in_head.empty()) {
    // torchdynamo, before 2.0, prints all on one line.
    ReadLimitFunction(in_head, parsed, detail);
    AddLimitReasons(TextBetween(head, "guard failures: ", "\n"), parsed, fact);
  }
  ReadLimitParts(head, parsed, fact);
  for (size_t i = 1; i < record.num_lines(); ++i) {
    const std::string_view text = TrimLeft(record.line(i));
    // Frames of a "User stack trace:" may quote anything.
    if (text.starts_with("User stack trace:")) break;
    ReadLimitParts(text, parsed, fact);
    if (!IsUnlabelledReason(text)) continue;
    AddReason(Trim(text.starts_with("- ") ? text.substr(2) : text), parsed, fact);
  }
  // Without an id, only the reason shows that this is torch output.
  if (!has_head && record.compile_id.empty() && fact.reasons.empty()) return;
  DropCutReason(record, parsed, fact);
  const bool lacks_reason = fact.reasons.empty() && !EndsWithAdvice(record);
  detail.cut = detail.cut || lacks_reason || !has_head || record.is_torn;
  parsed.facts.push_back(std::move(fact));
}

}  // namespace shapewise
