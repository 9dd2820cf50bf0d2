// Constraint violations: a dim that was marked dynamic and that the code pins.
//
//   Error while creating guard:                                        (a record, from 2.7)
//   ...ConstraintViolationError: Constraints violated (L['x'].size()[0])! For more information, ...
//     - You marked L['x'].size()[0] as dynamic but your code specialized it to be a constant (6).
//     ...
//     - Not all values of RelaxedUnspecConstraint(L['x'].size()[0]) are valid because ...

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ingest/messages/message_rows.h"
#include "ingest/messages/parsers.h"
#include "ingest/messages/traceback_lines.h"
#include "ingest/messages/wording.h"
#include "model/python_text.h"
#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

/// A constrained dim: "L['x'].size()[0]" is source L['x'], dim 0.
struct ConstrainedDim {
  std::string source;
  int32_t dim = -1;
};

/// Begins the error of torch.export about the ranges of Dim.DYNAMIC.
constexpr std::string_view kConflicts = "Found the following conflicts between user-specified ";

/// Parses "L['x'].size()[0]"; a name alone ("batch", "s0") is a source without a dim.
ConstrainedDim ParseConstrainedDim(std::string_view text) {
  const SourceRef source = ParseSource(Trim(text));
  return {std::string(source.object), source.IsLayout() ? source.dim : -1};
}

/// Parses "... for dimension inputs['x'][0].shape[1].", as torch.export names the inputs of a
/// program: source L['x'][0], dim 1.
ConstrainedDim ParseExportedDim(std::string_view text) {
  constexpr std::string_view kInputs = "inputs[";
  constexpr std::string_view kShape = ".shape[";
  const size_t at = text.rfind(kInputs);
  if (at == kNotFound) return {};
  std::string_view path = text.substr(at + kInputs.size() - 1);
  path = path.substr(0, path.rfind(']') + 1);
  ConstrainedDim dim;
  if (const size_t shape = path.rfind(kShape); shape != kNotFound) {
    std::string_view number = path.substr(shape + kShape.size());
    dim.dim = ConsumeUint<int32_t>(number).value_or(-1);
    path = path.substr(0, shape);
  }
  dim.source = "L" + std::string(path);
  return dim;
}

/// The position of "Constraints violated (" or of the words of torch.export in `line`; kNotFound if
/// neither is there.
size_t FindHeader(std::string_view line) {
  const size_t at = FindText(line, "Constraints violated (");
  return at != kNotFound ? at : FindText(line, "Specializations unexpectedly required (");
}

/// The names in "Constraints violated (a, b)!...".
std::vector<std::string_view> HeaderNames(std::string_view header) {
  std::vector<std::string_view> names;
  size_t end = header.find('(');
  while (end != kNotFound && header[end] != ')') {
    const std::string_view name = ReadArgument(header, end + 1, &end);
    if (end != kNotFound) names.push_back(name);
  }
  return names;
}

/// Whether torch printed a header without violations below it. Other programs have constraints,
/// too, and what they print has no class, no exclamation mark and no input.
bool IsOfTorch(const Record& record, std::string_view header) {
  return record.kind != RecordKind::kConstraints || HasText(header, ")!") || HasText(header, "(L[");
}

/// The violation in `line`: a bullet, or one without its "- ", as people quote it, also right after
/// the class of the exception. Empty if `line` has no violation.
std::string_view ViolationIn(std::string_view line) {
  line = Trim(line);
  if (ConsumeFront(line, "- ")) return line;
  if (const auto exception = ParseAnyException(line)) line = exception->message;
  const bool is_known =
      BeginsWithAny(line, "You marked |Not all values of |Received user-specified ");
  return is_known ? line : std::string_view();
}

/// The dim that a bullet names.
ConstrainedDim BulletDim(std::string_view text) {
  if (text.starts_with("Received user-specified ")) return ParseExportedDim(text);
  for (const std::string_view before : {"You marked ", "UnspecConstraint(", "Not all values of ",
                                        "The values of ", "solving the guards generated for "}) {
    const size_t at = FindText(text, before);
    if (at == kNotFound) continue;
    std::string_view rest = text.substr(at + before.size());
    // "x = L['x'].size()[0] in the specified range": the source follows the name.
    const size_t equals = FindText(rest, " = ");
    const size_t source_end =
        std::min({FindText(rest, " in the specified range"), FindText(rest, " and "),
                  FindText(rest, " must always"), FindText(rest, " resulted in")});
    if (equals != kNotFound && source_end != kNotFound && equals < source_end) {
      rest = rest.substr(equals + 3, source_end - equals - 3);
    }
    size_t stop = FindText(rest, "]");
    // The subscript at the end of the source is the last of "].size()[0]".
    const size_t size_call = FindText(rest, "()[");
    if (size_call != kNotFound) stop = rest.find(']', size_call);
    if (stop == kNotFound) stop = rest.find_first_of(" )");
    return ParseConstrainedDim(rest.substr(0, stop == kNotFound ? kNotFound : stop + 1));
  }
  return {};
}

/// The declarations of dims below the last "Suggested fixes:" of torch.export, as one line of
/// Python: "_t = Dim('_t', max=16); t = 4*_t".
std::string SuggestionIn(const Record& record) {
  std::string suggestion;
  bool is_inside = false;
  for (size_t i = 0; i < record.num_lines(); ++i) {
    const std::string_view line = Trim(record.line(i));
    const size_t equals = FindText(line, " = ");
    const bool is_declaration = equals != kNotFound && IsIdentifier(line.substr(0, equals));
    if (line.ends_with("Suggested fixes:")) {  // also glued to the line before
      is_inside = true;
      suggestion.clear();
    } else if (is_inside && is_declaration) {
      suggestion.append(suggestion.empty() ? "" : "; ").append(line);
    } else {
      is_inside = false;
    }
  }
  return suggestion;
}

/// "Error while creating guard:" without a constraint violation:
///   Name: "L['self'].hook.__closure__[0].cell_contents"
///       Source: local_unspecialized_builtin_nn_module
///       Create Function: EQUALS_MATCH
/// The exception is printed below and raised again. Where it is cut off, guards of sizes failed for
/// a violation.
void AddFailedGuard(const Record& record, ParsedMessage& parsed) {
  std::string_view guarded;
  std::string_view function;
  std::optional<AnyException> exception;
  bool is_of_sizes = false;
  for (size_t i = 1; i < record.num_lines(); ++i) {
    std::string_view line = Trim(record.line(i));
    if (!exception) exception = ParseAnyException(record.line(i));
    is_of_sizes = is_of_sizes || line == "Source: shape_env";
    if (ConsumeFront(line, "Name: ") && line.size() > 2) guarded = line.substr(1, line.size() - 2);
    if (ConsumeFront(line, "Create Function: ")) function = line;
  }
  if (is_of_sizes && !exception) {
    parsed.Add(ConstraintFact{});
  } else if (!function.empty()) {
    const AnyException raised = exception.value_or(AnyException());
    const std::string failed = std::string(kFailedGuard) + " " + std::string(raised.message);
    parsed.Add(CompileErrorFact{.type = parsed.Intern(raised.name),
                                .message = parsed.Intern(Trim(failed)),
                                .context = parsed.Intern(guarded.empty() ? function : guarded)},
               FactRole::kAnnounced);
  }
}

}  // namespace

void ParseConstraints(const Record& record, ParsedMessage& parsed) {
  size_t header = kNotFound;
  bool has_list = false;
  size_t user_stack = record.num_lines();
  for (size_t i = 0; i < record.num_lines(); ++i) {
    const std::string_view line = record.line(i);
    const bool is_list = !has_list && FindHeader(line) != kNotFound;
    const bool is_error = HasText(line, "ConstraintViolationError:") || HasText(line, kConflicts);
    if (is_list || (header == kNotFound && is_error)) header = i;
    has_list = has_list || is_list;
    if (header != kNotFound && Trim(line) == "User stack:") user_stack = i;
  }
  const bool is_bullet = !ViolationIn(record.line(0)).empty();
  if (header == kNotFound && !is_bullet) {
    return AddFailedGuard(record, parsed);
  }
  std::vector<std::pair<ConstrainedDim, std::string_view>> violations;
  for (size_t i = is_bullet ? 0 : header; i < user_stack; ++i) {
    const std::string_view violation = ViolationIn(record.line(i));
    const ConstrainedDim dim = BulletDim(violation);
    if (!dim.source.empty()) violations.emplace_back(dim, violation);
  }
  const std::string_view head = record.line(is_bullet ? 0 : header);
  const size_t list = is_bullet ? kNotFound : FindHeader(head);
  // A server raises what its worker raised, in quotes.
  const bool is_repeated = list != kNotFound && head.substr(0, list).ends_with('\'');
  if (violations.empty() && list != kNotFound) {
    std::string_view text = Trim(head.substr(list));
    if (!IsOfTorch(record, text)) return;
    if (is_repeated && text.ends_with('\'')) text.remove_suffix(1);
    for (const std::string_view name : HeaderNames(text)) {
      violations.emplace_back(ParseConstrainedDim(name), SharedMessage(text));
    }
  }
  bool is_cut = false;
  if (violations.empty()) {
    // "ConstraintViolationError: 40 not in range [2, 32]" contains no source.
    const auto exception = ParseAnyException(head);
    const std::string_view message = exception ? exception->message : Trim(head);
    is_cut = message.empty();
    if (is_cut && record.num_lines() > 1) return;
    violations.emplace_back(ConstrainedDim{}, message);
  }
  const CodePlace place = InnermostFrame(record, user_stack);
  std::string suggestion = SuggestionIn(record);
  // No range helps where the code asks for a multiple; "width = 24" is none.
  const bool asks_multiple = std::ranges::any_of(violations, [](const auto& violation) {
    return HasText(violation.second, "Mod(") || HasText(violation.second, " % ");
  });
  const bool is_range = !HasText(suggestion, "*") && HasText(suggestion, "Dim(");
  if (asks_multiple && is_range) suggestion.clear();
  // One per source and dim, however many bullets name it.
  std::set<std::pair<std::string, int32_t>> known;
  for (const auto& [dim, message] : violations) {
    if (!known.emplace(dim.source, dim.dim).second) continue;
    const ConstraintFact fact = {parsed.Intern(dim.source), dim.dim, parsed.Intern(message),
                                 parsed.Intern(suggestion)};
    const FactRole role = is_repeated ? FactRole::kRaised : FactRole::kRecord;
    EventDetail& detail = parsed.Add(fact, role).detail;
    parsed.SetUserPlace(place, detail);
    detail.cut = is_cut;
  }
}

}  // namespace shapewise
