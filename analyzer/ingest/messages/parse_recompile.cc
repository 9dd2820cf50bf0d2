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

#include "ingest/messages/parsers.h"
#include "shapewise/support/literal_set.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// "f in /w/train.py:4": the compiled frame. Gives back what stands behind it on the line.
std::string_view TakeFunctionInFile(std::string_view text, ParseContext& context,
                                    EventDetail& detail) {
  // "<graph break in f> in train.py:4" (2.0, 2.1): the first " in " is part of the name.
  size_t from = 0;
  if (text.starts_with("<")) {
    const size_t close = text.find('>');
    if (close != kNotFound) from = close;
  }
  const size_t in = FindText(text, " in ", from);
  if (in == kNotFound) {
    detail.function = context.Intern(Trim(text));
    return {};
  }
  detail.function = context.Intern(Trim(text.substr(0, in)));
  std::string_view rest;
  const CodePlace place = SplitFileLine(text.substr(in + 4), &rest);
  detail.file = context.Intern(place.file);
  detail.function_line = place.line;
  return rest;
}

/// Whether a bullet opens a reason with the id of its cache entry: "0/1: ", "!0/3/0: ".
bool HasEntryId(std::string_view text) {
  size_t end = text.starts_with("!") ? 1 : 0;
  bool slash = false;
  while (end < text.size() && (IsDigit(text[end]) || text[end] == '/' || text[end] == '_')) {
    slash = slash || text[end] == '/';
    ++end;
  }
  return slash && end < text.size() && text[end] == ':';
}

/// Marks of mark_dynamic and errors inside guards have no class of their own.
bool IsKnownOther(std::string_view guard) {
  for (const std::string_view words : {"_dynamo_", " is not defined", " object has no attribute ",
                                       "Error: ", "Unexpected recompilation"}) {
    if (HasText(guard, words)) return true;
  }
  return false;
}

void AddReason(std::string_view text, ParseContext& context, const Record& record,
               EventDetail& detail) {
  const GuardFailure failure = ParseGuardFailure(text);
  if (failure.guard_class == GuardClass::kOther && !IsKnownOther(failure.guard)) {
    context.session.stats().Bump(Stat::guard_unknown, record.origin.input, record.origin.line);
  }
  // guards.py strips L[...] from reasons since 2.7 and names the entry since 2.5.
  if (text.starts_with("tensor 'L[") || HasText(text, ": tensor 'L[")) {
    context.NoteMark(record, "sources in reasons are spelled L['x']", 0, 206);
  } else if (!failure.entry.empty() && HasText(text, ": tensor '")) {
    context.NoteMark(record, "sources in reasons are spelled x", 207, 0);
  } else if (!failure.entry.empty()) {
    context.NoteMark(record, "reasons name the cache entry", 205, 0);
  }
  detail.reasons.push_back(context.session.InternReason(failure));
}

/// Splits "- a - b" of a record that was flattened onto one line.
void SplitFlatBullets(std::string_view text, std::vector<std::string_view>& bullets) {
  size_t at = FindText(text, "- ");
  while (at != kNotFound) {
    size_t next = FindText(text, " - ", at + 2);
    // " - " also occurs inside a guard; a bullet begins with an entry id or a known word.
    while (next != kNotFound) {
      const std::string_view after = TrimLeft(text.substr(next + 3));
      if (HasEntryId(after) || after.starts_with("tensor '") || after.starts_with("User stack")) {
        break;
      }
      next = FindText(text, " - ", next + 3);
    }
    const std::string_view bullet =
        text.substr(at + 2, next == kNotFound ? kNotFound : next - at - 2);
    if (!Trim(bullet).empty()) bullets.push_back(Trim(bullet));
    at = next == kNotFound ? kNotFound : next + 1;
  }
}

/// 2.1 prints the tuple itself: `('Recompiling function f in x.py:3', 'triggered by the following
/// guard failure: ["L['x'] == 3"]')`.
void AddTupleReasons(std::string_view text, ParseContext& context, const Record& record,
                     EventDetail& detail) {
  const size_t at = FindText(text, "guard failure");
  if (at == kNotFound) return;
  const size_t colon = text.find(':', at);
  if (colon == kNotFound) return;
  std::string_view list = Trim(text.substr(colon + 1));
  while (!list.empty() && (list.back() == ')' || list.back() == '\'' || list.back() == '"')) {
    list.remove_suffix(1);
  }
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
  if (!list.empty()) AddReason(list, context, record, detail);
}

/// "filename: '/w/t.py', function name: 'g', line number: 6" of a refused recompile.
void TakeStanceFrame(const Record& record, std::string_view text, ParseContext& context,
                     EventDetail& detail) {
  detail.file = context.Intern(TextBetween(text, "filename: '", "'"));
  detail.function = context.Intern(TextBetween(text, "function name: '", "'"));
  std::string_view line = TextBetween(text, "line number: ", "\n");
  detail.function_line = context.ConsumeNumber<uint32_t>(record, line).value_or(0);
}

/// The reasons of a limit warning: "last reason: 0/7: ..." since 2.2; `reasons:  ["..."]` or the
/// bare text before.
void AddLimitReasons(std::string_view text, ParseContext& context, const Record& record,
                     EventDetail& detail) {
  text = Trim(text);
  if (text.starts_with("GuardFail(reason=")) {
    text = TextBetween(text, "reason=", ", orig_code=");
    if (text.size() > 1) text = text.substr(1, text.size() - 2);
  }
  if (!ConsumeFront(text, "[") || text.starts_with("]")) {
    if (!text.empty()) AddReason(text, context, record, detail);
    return;
  }
  // Some builds print a list a failure.
  while (ConsumeFront(text, "[")) {
  }
  // A Python list of strings, each quoted by whichever quote it does not hold.
  while (!text.empty() && text.front() != ']') {
    const char quote = text.front();
    if (quote != '\'' && quote != '"') break;
    const size_t end = text.find(quote, 1);
    AddReason(text.substr(1, end == kNotFound ? kNotFound : end - 1), context, record, detail);
    if (end == kNotFound) break;
    text = text.substr(end + 1);
    const size_t next = text.find_first_not_of("], [");
    text = next == kNotFound ? std::string_view() : text.substr(next);
  }
}

/// The words that open a part of a limit warning.
constexpr std::string_view kLimitParts[] = {
    "function: ",       "last reason: ", "reasons: ", "To log all", "o diagnose recompilation",
    "User stack trace:"};

/// Where the part of a limit warning begins that follows the one whose value begins at `from`.
size_t FindNextLimitPart(const LiteralSet& words, std::string_view text, size_t from) {
  size_t at = words.Find(text, from);
  // A part begins after a blank; inside a reason the same letters may be part of a name.
  while (at != kNotFound && at != from && std::string_view(" Tt").find(text[at - 1]) == kNotFound) {
    at = words.Find(text, at + 1);
  }
  return at;
}

/// Reads one part of a limit warning, and those that were flattened onto the same line behind it.
void TakeLimitParts(std::string_view text, ParseContext& context, const Record& record,
                    EventDetail& detail) {
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
    if (part == "function: ") {
      std::string_view rest = Trim(value);
      if (ConsumeFront(rest, "'")) {
        const size_t quote = rest.find('\'');
        detail.function = context.Intern(rest.substr(0, quote));
        rest = quote == kNotFound ? std::string_view() : rest.substr(quote + 1);
      }
      const size_t open = rest.find('(');
      if (open != kNotFound) {
        const CodePlace place = SplitFileLine(rest.substr(open + 1));
        std::string_view file = place.file;
        if (place.line == 0 && file.ends_with(")")) file.remove_suffix(1);
        detail.file = context.Intern(file);
        detail.function_line = place.line;
      }
    } else if (part == "last reason: " || part == "reasons: ") {
      AddLimitReasons(value, context, record, detail);
    }
  }
}

void TakeLimitLines(const Record& record, size_t from, ParseContext& context, EventDetail& detail) {
  for (size_t i = from; i < record.num_lines(); ++i) {
    const std::string_view text = TrimLeft(record.line(i));
    // Frames of a "User stack trace:" may quote anything.
    if (text.starts_with("User stack trace:")) break;
    TakeLimitParts(text, context, record, detail);
  }
}

/// What is left of a reason that the end of the input cut is no reason: of its text, only the entry
/// is understood.
void DropCutReason(const Record& record, Session& session, EventDetail& detail) {
  if (detail.reasons.empty() || !record.ends_input) return;
  Reason last = session.reason(detail.reasons.back());
  // Some recompiles have no reason by nature, such as those after a change of the backend.
  const bool is_empty = detail.kind == EventKind::kRecompileLimit &&
                        last.guard_class == GuardClass::kEmpty && last.guard == StrId::kNone;
  // A sentence says something even without its end.
  const std::string_view guard = session.text(last.guard);
  const bool is_sentence = std::count(guard.begin(), guard.end(), ' ') >= 4;
  const bool is_unknown = last.guard_class == GuardClass::kOther && record.is_torn && !is_sentence;
  if (!is_empty && !is_unknown) return;
  last.guard_class = GuardClass::kEmpty;
  detail.reasons.back() = session.InternReason(last);
  detail.cut = true;
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

/// Emits a limit, or completes the one that other records of the same frame have torn apart.
void EmitLimit(const Record& record, bool has_head, EventDetail& detail, ParseContext& context) {
  DropCutReason(record, context.session, detail);
  const bool lacks_reason = detail.reasons.empty() && !EndsWithAdvice(record);
  detail.cut = detail.cut || lacks_reason || !has_head || record.is_torn;
  const std::pair<int32_t, std::string> key(record.origin.rank, record.compile_id);
  const auto open =
      record.compile_id.empty() ? context.open_limits.end() : context.open_limits.find(key);
  if (!has_head && open != context.open_limits.end()) {
    ParseMemory::OpenLimit& limit = open->second;
    context.session.AmendDetail(limit.event, [&](EventDetail& whole) {
      if (whole.function == StrId::kNone) {
        whole.function = detail.function;
        whole.file = detail.file;
        whole.function_line = detail.function_line;
      }
      whole.reasons.insert(whole.reasons.end(), detail.reasons.begin(), detail.reasons.end());
      whole.cut = !limit.has_head || whole.reasons.empty();
    });
    if (!detail.reasons.empty()) context.open_limits.erase(open);
    return;
  }
  const size_t event = context.Emit(record, detail);
  context.NoteFrame(record, detail, event);
  if (lacks_reason && !record.compile_id.empty()) context.open_limits[key] = {event, has_head};
}

}  // namespace

void AddRecompileReasons(const std::vector<std::string_view>& bullets, ParseContext& context,
                         const Record& record, EventDetail& detail) {
  bool any_entry = false;
  for (const std::string_view bullet : bullets) any_entry = any_entry || HasEntryId(bullet);
  bool in_stack = false;
  for (const std::string_view bullet : bullets) {
    if (HasEntryId(bullet)) {
      in_stack = false;
      AddReason(bullet, context, record, detail);
      continue;
    }
    if (bullet.starts_with("User stack trace:")) in_stack = true;
    if (any_entry || in_stack) continue;
    AddReason(bullet, context, record, detail);
  }
}

void ParseRecompile(const Record& record, ParseContext& context) {
  EventDetail detail;
  detail.kind = EventKind::kRecompile;
  std::vector<std::string_view> bullets;
  std::string_view head = TrimLeft(record.line(0));
  const bool is_refusal = ConsumeFront(head, "Detected recompile");
  const bool is_tuple = head.starts_with("('");
  if (is_refusal) {
    TakeStanceFrame(record, head, context, detail);
    SplitFlatBullets(TextBetween(head, "guard failure(s):", "\n"), bullets);
  } else if (ConsumeFront(head, "('Recompiling function ")) {
    const size_t quote = FindText(head, "', ");
    TakeFunctionInFile(head.substr(0, quote), context, detail);
    AddTupleReasons(quote == kNotFound ? std::string_view() : head.substr(quote), context, record,
                    detail);
  } else if (head.starts_with("- ")) {
    // The lines before the reasons were cut away.
    detail.cut = true;
    bullets.push_back(Trim(head.substr(2)));
  } else if (ConsumeFront(head, "triggered by ")) {
    // The line that names the function was cut away.
    detail.cut = true;
    SplitFlatBullets(TextBetween(head, "guard failure(s):", "\n"), bullets);
  } else {
    ConsumeFront(head, "Recompiling function");
    const std::string_view rest = TakeFunctionInFile(TrimLeft(head), context, detail);
    SplitFlatBullets(TextBetween(rest, "guard failure(s):", "\n"), bullets);
  }
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view text = TrimLeft(record.line(i));
    if (text.starts_with("triggered by")) {
      SplitFlatBullets(TextBetween(text, "guard failure(s):", "\n"), bullets);
    } else if (ConsumeFront(text, "- ")) {
      bullets.push_back(Trim(text));
    } else if (text.starts_with("guard ")) {
      SplitFlatBullets(TextBetween(text, " failures:", "\n"), bullets);
    }
  }
  AddRecompileReasons(bullets, context, record, detail);
  DropCutReason(record, context.session, detail);
  // The tuple of 2.1 has reasons only if a setting asks for them.
  const bool lacks_reason = bullets.empty() && detail.reasons.empty() && !is_refusal && !is_tuple;
  detail.cut = detail.cut || lacks_reason || record.is_torn;
  const auto detail_id = static_cast<uint32_t>(context.session.InternDetail(detail));
  const std::tuple<int32_t, uint32_t> key(record.origin.rank, detail_id);
  // error_on_recompile logs the record and raises it as an exception with the same text.
  if (record.raised) {
    const auto told = context.unrepeated_recompiles.find(key);
    if (told != context.unrepeated_recompiles.end() && told->second > 0) {
      --told->second;
      return;
    }
  } else {
    ++context.unrepeated_recompiles[key];
  }
  context.NoteFrame(record, detail, context.Emit(record, detail));
}

void ParseLimit(const Record& record, ParseContext& context) {
  EventDetail detail;
  detail.kind = EventKind::kRecompileLimit;
  std::string_view head = TrimLeft(record.line(0));
  const bool has_head = ConsumeFront(head, "torch._dynamo hit config.");
  if (!has_head) {
    // The other limit is hit by the 256th entry.
    detail.limit_name = LimitName::kRecompileLimit;
    TakeLimitLines(record, 0, context, detail);
    // Without an id, the reason alone shows that this is torch's.
    if (record.compile_id.empty() && detail.reasons.empty()) return;
    return EmitLimit(record, has_head, detail, context);
  }
  size_t name_end = 0;
  while (name_end < head.size() && IsWordChar(head[name_end])) ++name_end;
  detail.limit_name = head.substr(0, name_end).starts_with("accum")
                          ? LimitName::kAccumulatedRecompileLimit
                          : LimitName::kRecompileLimit;
  // Renamed in 2.7.
  if (HasText(head.substr(0, name_end), "cache_size_limit")) {
    context.NoteMark(record, "the limit is called cache_size_limit", 0, 206);
  } else if (HasText(head.substr(0, name_end), "recompile_limit")) {
    context.NoteMark(record, "the limit is called recompile_limit", 207, 0);
  }
  std::string_view rest = TrimLeft(head.substr(name_end));
  if (ConsumeFront(rest, "(")) {
    rest = TrimLeft(rest);
    detail.limit = context.ConsumeNumber<int64_t>(record, rest);
  }
  TakeLimitParts(rest, context, record, detail);
  TakeLimitLines(record, 1, context, detail);
  EmitLimit(record, has_head, detail, context);
}

}  // namespace shapewise
