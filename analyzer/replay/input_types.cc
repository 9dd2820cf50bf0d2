#include "replay/input_types.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <stdexcept>

namespace shapewise::replay {
namespace {

std::string Trimmed(const std::string& text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') - begin + 1);
}

/// A number, or the name of a symbol; kUnknown: neither.
SizeExpression ReadSize(const std::string& text) {
  SizeExpression size;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size.integer);
  if (error == std::errc() && end == text.data() + text.size() && size.integer >= 0) {
    size.kind = SizeExpression::Kind::kInteger;
  } else if (!text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0 &&
             std::all_of(text.begin(), text.end(),
                         [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; })) {
    size.kind = SizeExpression::Kind::kSymbol;
    size.name = text;
  }
  return size;
}

bool HasSymbol(const Program& program, const std::string& name) {
  return std::any_of(program.symbols.begin(), program.symbols.end(),
                     [&](const ProgramSymbol& symbol) { return symbol.name == name; });
}

}  // namespace

void SetType(const std::string& text, const DeviceChoice& devices, Program& program) {
  const auto fail = [&](const std::string& why) {
    throw std::runtime_error("'" + text + "' is not a type: " + why +
                             "; expected INPUT=DTYPE[SIZE,...], as in x=f32[s0,64]");
  };
  const size_t equals = text.find('=');
  const size_t open = text.find('[');
  if (equals == std::string::npos || open == std::string::npos || open < equals ||
      !text.ends_with(']')) {
    fail("it is cut");
  }
  const std::string name = Trimmed(text.substr(0, equals));
  const auto input = std::find_if(program.inputs.begin(), program.inputs.end(),
                                  [&](const ProgramInput& other) { return other.name == name; });
  if (input == program.inputs.end()) fail("there is no input " + name);
  ProgramType type;
  type.kind = ProgramType::Kind::kTensor;
  type.device = devices.Default();
  type.dtype = FindDtype(Trimmed(text.substr(equals + 1, open - equals - 1)));
  if (!type.dtype) fail("the dtype is not known");
  type.shape.emplace();
  std::string sizes = text.substr(open + 1, text.size() - open - 2);
  while (!Trimmed(sizes).empty()) {
    const size_t comma = std::min(sizes.find(','), sizes.size());
    const SizeExpression size = ReadSize(Trimmed(sizes.substr(0, comma)));
    if (size.kind == SizeExpression::Kind::kUnknown) fail("a size is neither number nor name");
    if (size.kind == SizeExpression::Kind::kSymbol && !HasSymbol(program, size.name)) {
      program.symbols.push_back({size.name, {}, {}, {}});
    }
    type.shape->push_back(size);
    sizes = sizes.substr(std::min(comma + 1, sizes.size()));
  }
  input->type = std::move(type);
}

}  // namespace shapewise::replay
