// Constraint violations: a dim that was marked dynamic and that the code pins.
//
//   Error while creating guard:                                        (a record, from 2.7)
//   ...ConstraintViolationError: Constraints violated (L['x'].size()[0])! For more information, ...
//     - You marked L['x'].size()[0] as dynamic but your code specialized it to be a constant (6).
//     ...
//     - Not all values of RelaxedUnspecConstraint(L['x'].size()[0]) are valid because ...

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ingest/messages/exception_head.h"
#include "ingest/messages/parsers.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

/// What is constrained: "L['x'].size()[0]" is source L['x'], dim 0.
struct ConstrainedDim {
  std::string_view source;
  int32_t dim = -1;
};

/// Reads "L['x'].size()[0]"; a name alone ("batch", "s0") is a source without a dim.
ConstrainedDim ParseConstrainedDim(std::string_view text) {
  text = Trim(text);
  ConstrainedDim result{text, -1};
  for (const std::string_view call : {".size()[", ".stride()["}) {
    const size_t at = FindText(text, call);
    if (at == kNotFound) continue;
    std::string_view digits = text.substr(at + call.size());
    const auto dim = ConsumeUint<int32_t>(digits);
    if (dim && *dim < 1000) result.dim = *dim;
    result.source = text.substr(0, at);
    break;
  }
  return result;
}

/// The names in "Constraints violated (a, b)!".
std::vector<std::string_view> HeaderNames(std::string_view line) {
  std::vector<std::string_view> names;
  const size_t at = FindText(line, "Constraints violated (");
  const size_t specialised = FindText(line, "Specializations unexpectedly required (");
  if (at == kNotFound && specialised == kNotFound) return names;
  std::string_view list = line.substr(at != kNotFound ? at + 22 : specialised + 39);
  size_t depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (c == '(' || c == '[') ++depth;
    if (c == ')' && depth == 0) {
      names.push_back(Trim(list.substr(begin, i - begin)));
      return names;
    }
    if ((c == ')' || c == ']') && depth > 0) --depth;
    if (c == ',' && depth == 0) {
      names.push_back(Trim(list.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  return names;
}

/// The dim that a bullet speaks of.
ConstrainedDim BulletDim(std::string_view text) {
  for (const std::string_view before : {"You marked ", "UnspecConstraint(", "Not all values of ",
                                        "The values of ", "solving the guards generated for "}) {
    const size_t at = FindText(text, before);
    if (at == kNotFound) continue;
    std::string_view rest = text.substr(at + before.size());
    // "x = L['x'].size()[0] in the specified range": the source stands behind the name.
    const size_t equals = FindText(rest, " = ");
    const size_t source_end =
        std::min({FindText(rest, " in the specified range"), FindText(rest, " and "),
                  FindText(rest, " must always"), FindText(rest, " resulted in")});
    if (equals != kNotFound && source_end != kNotFound && equals < source_end) {
      rest = rest.substr(equals + 3, source_end - equals - 3);
    }
    size_t stop = FindText(rest, "]");
    // The subscript that ends the source is the last of "].size()[0]".
    const size_t size_call = FindText(rest, "()[");
    if (size_call != kNotFound) stop = rest.find(']', size_call);
    if (stop == kNotFound) stop = rest.find_first_of(" )");
    return ParseConstrainedDim(rest.substr(0, stop == kNotFound ? kNotFound : stop + 1));
  }
  return {};
}

/// Emits one violation, unless an exception only repeats what a record told.
void EmitViolation(const Record& record, ParseContext& context, const ConstrainedDim& dim,
                   std::string_view message, const CodePlace& place) {
  const std::tuple<int32_t, std::string, int32_t> key(record.origin.rank, dim.source, dim.dim);
  const StrId message_id = context.Intern(message);
  // export raises a UserError with the text of the ConstraintViolationError before it.
  if (record.compile_id.empty() &&
      !context.exceptions
           .emplace(record.origin.rank, "constraint",
                    std::string(dim.source) + "@" + std::to_string(dim.dim) + "@" +
                        std::to_string(static_cast<uint32_t>(message_id)))
           .second) {
    return;
  }
  if (record.compile_id.empty()) {
    auto told = context.unrepeated_violations.find(key);
    if (told != context.unrepeated_violations.end() && told->second > 0) {
      --told->second;
      return;
    }
  } else {
    ++context.unrepeated_violations[key];
  }
  EventDetail detail;
  detail.kind = EventKind::kConstraintViolation;
  detail.source = context.Intern(dim.source);
  detail.dim = dim.dim;
  detail.message = message_id;
  context.SetUserPlace(place, detail);
  context.Emit(record, detail);
}

}  // namespace

void ParseConstraints(const Record& record, ParseContext& context) {
  size_t header = kNotFound;
  size_t user_stack = record.num_lines();
  for (size_t i = 0; i < record.num_lines(); ++i) {
    const std::string_view line = record.line(i);
    if (header == kNotFound && (HasText(line, "Constraints violated (") ||
                                HasText(line, "Specializations unexpectedly required (") ||
                                HasText(line, "ConstraintViolationError: "))) {
      header = i;
    }
    if (header != kNotFound && Trim(line) == "User stack:") user_stack = i;
  }
  // "Error while creating guard:" that holds another exception is told by that exception.
  if (header == kNotFound) return;
  CodePlace place;
  InnermostFrame(record, user_stack, record.num_lines(), place);
  struct Violation {
    ConstrainedDim dim;
    std::string_view message;
  };
  std::vector<Violation> violations;
  for (size_t i = header + 1; i < user_stack; ++i) {
    std::string_view line = Trim(record.line(i));
    if (!ConsumeFront(line, "- ")) continue;
    const ConstrainedDim dim = BulletDim(line);
    if (!dim.source.empty()) violations.push_back({dim, line});
  }
  if (violations.empty()) {
    for (const std::string_view name : HeaderNames(record.line(header))) {
      violations.push_back({ParseConstrainedDim(name), SharedMessage(Trim(record.line(header)))});
    }
  }
  if (violations.empty()) {
    // "ConstraintViolationError: 40 not in range [2, 32]" names no source.
    std::string_view name;
    std::string_view message;
    if (!ParseAnyException(record.line(header), name, message)) message = Trim(record.line(header));
    violations.push_back({{}, message});
  }
  // One a source and dim, however many bullets speak of it.
  std::set<std::pair<std::string_view, int32_t>> emitted;
  for (const auto& [dim, message] : violations) {
    if (!emitted.emplace(dim.source, dim.dim).second) continue;
    EmitViolation(record, context, dim, message, place);
  }
}

}  // namespace shapewise
