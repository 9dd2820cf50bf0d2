#include "ingest/messages/fake_run.h"

#include <vector>

#include "support/text_scan.h"

namespace shapewise {
namespace {

/// "<built-in function mul>", "<function interpolate at 0x7f>", "<built-in method conv2d of type
/// object at 0x7f>", "<Wrapped method <original add>>", "view" -> the name.
std::string_view OperationName(std::string_view target) {
  if (!ConsumeFront(target, "<")) return target;
  ConsumeFront(target, "Wrapped method <original");
  if (ConsumeFront(target, " ")) return target.substr(0, target.find('>'));
  for (const std::string_view before : {"function ", "method "}) {
    const size_t at = FindText(target, before);
    if (at == kNotFound) continue;
    const std::string_view name = target.substr(at + before.size());
    return name.substr(0, name.find_first_of(" >"));
  }
  return {};
}

/// "RuntimeError('text')" -> "text".
std::string_view RaisedText(std::string_view error) {
  const size_t open = error.find('(');
  if (open == kNotFound || !error.ends_with(")")) return error;
  const std::string_view text = Trim(error.substr(open + 1, error.size() - open - 2));
  if (text.size() < 2 || (text[0] != '\'' && text[0] != '"') || text.back() != text[0])
    return error;
  return text.substr(1, text.size() - 2);
}

/// Where the arguments "(*(...), **{})" begin, which blanks may separate from their bracket.
size_t ArgumentsBegin(std::string_view call) {
  for (size_t star = FindText(call, "*("); star != kNotFound;
       star = FindText(call, "*(", star + 1)) {
    const std::string_view before = TrimRight(call.substr(0, star));
    if (before.ends_with('(')) return before.size() - 1;
  }
  return kNotFound;
}

}  // namespace

std::string FakeRunText(std::string_view message) {
  if (ConsumeFront(message, kFailedFakeRun)) {
    message = TrimLeft(message);
    if (!ConsumeFront(message, "call_")) return {};
  } else if (!ConsumeFront(message, kOldFailedFakeRun)) {
    return {};
  }
  const size_t arguments = ArgumentsBegin(message);
  const size_t target = message.find(' ') + 1;
  if (arguments == kNotFound || target == 0 || target > arguments) return {};
  std::string text(OperationName(Trim(message.substr(target, arguments - target))));
  if (text.empty()) return {};

  // The error may quote tensors, too.
  const std::string_view inputs = message.substr(0, FindText(message, "): got ", arguments));
  constexpr std::string_view kSize = "size=(";
  std::vector<std::string_view> sizes;
  size_t end = arguments;
  for (size_t at = FindText(inputs, kSize, end); at != kNotFound;
       at = FindText(inputs, kSize, end)) {
    const size_t begin = at + kSize.size() - 1;
    end = inputs.find(')', begin);
    if (end == kNotFound) break;
    sizes.push_back(inputs.substr(begin, end + 1 - begin));
  }
  for (size_t i = 0; i < sizes.size(); ++i) {
    text.append(i == 0 ? " of sizes " : i + 1 < sizes.size() ? ", " : " and ").append(sizes[i]);
  }

  std::string_view error = TextBetween(message.substr(arguments), "): got ", "\n");
  if (error.empty()) error = TextBetween(message.substr(arguments), "}): ", "\n");
  error = RaisedText(Trim(error));
  if (!error.empty()) text.append(": ").append(error);
  return sizes.empty() && error.empty() ? std::string() : text;
}

}  // namespace shapewise
