#include "unit/dynamo/rule_case.h"

#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "dynamo/policy_text.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"
#include "model/call_history_builder.h"

namespace shapewise {
namespace {

[[noreturn]] void Fail(const std::string& what) { throw std::runtime_error(what); }

int64_t ToInteger(llvm::StringRef text) {
  int64_t value = 0;
  if (text.trim().getAsInteger(10, value)) Fail("no number: " + text.str());
  return value;
}

std::vector<int64_t> ToIntegers(llvm::StringRef text) {
  std::vector<int64_t> values;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ',', -1, false);
  for (const llvm::StringRef part : parts) values.push_back(ToInteger(part));
  return values;
}

/// Splits at blanks that stand outside of brackets.
std::vector<llvm::StringRef> Words(llvm::StringRef text) {
  std::vector<llvm::StringRef> words;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (c == '[' || c == '(') ++depth;
    if (c == ']' || c == ')') --depth;
    if (c != ' ' || depth > 0) continue;
    if (i > begin) words.push_back(text.slice(begin, i));
    begin = i + 1;
  }
  return words;
}

DimMark ToMark(llvm::StringRef kind, llvm::StringRef arguments) {
  const std::vector<int64_t> numbers = ToIntegers(arguments);
  DimMark mark;
  mark.kind = llvm::StringSwitch<MarkKind>(kind)
                  .Case("dynamic", MarkKind::kDynamic)
                  .Case("maybe", MarkKind::kMaybe)
                  .Case("static", MarkKind::kStatic)
                  .Case("unbacked", MarkKind::kUnbacked);
  mark.dim = static_cast<int32_t>(numbers.at(0));
  // -1 means "not given".
  if (numbers.size() > 1 && numbers[1] >= 0) mark.min = numbers[1];
  if (numbers.size() > 2 && numbers[2] >= 0) mark.max = numbers[2];
  return mark;
}

TensorValue ToTensor(llvm::StringRef sizes, llvm::StringRef options, StringPool& strings) {
  TensorValue tensor;
  tensor.sizes = ToIntegers(sizes);
  tensor.dtype = strings.Intern("torch.float32");
  llvm::SmallVector<llvm::StringRef, 4> parts;
  options.split(parts, ':', -1, false);
  for (const llvm::StringRef part : parts) {
    const auto [name, rest] = part.split('(');
    const llvm::StringRef arguments = rest.rtrim(')');
    if (name == "float64") {
      tensor.dtype = strings.Intern("torch.float64");
    } else if (name == "grad") {
      tensor.requires_grad = true;
    } else if (name == "param") {
      tensor.type = strings.Intern("Parameter");
      tensor.requires_grad = true;
    } else if (name == "strides") {
      tensor.has_layout = true;
      tensor.strides = ToIntegers(arguments);
    } else if (name == "offset") {
      tensor.storage_offset = ToInteger(arguments);
    } else if (name == "same") {
      tensor.object = static_cast<uint32_t>(ToInteger(arguments));
    } else {
      tensor.marks.push_back(ToMark(name, arguments));
    }
  }
  return tensor;
}

CallValue ToValue(llvm::StringRef text, StringPool& strings) {
  CallValue value;
  const auto [word, arguments] = text.split('(');
  if (text == "True" || text == "False") {
    value.kind = CallValue::Kind::kBool;
    value.integer = text == "True" ? 1 : 0;
  } else if (text == "None") {
    value.kind = CallValue::Kind::kNone;
  } else if (text == "?") {
    value.kind = CallValue::Kind::kUnknown;
  } else if (std::string_view(text).starts_with("'")) {
    value.kind = CallValue::Kind::kStr;
    value.text = strings.Intern(text.str());
  } else if (word == "list" || word == "tuple") {
    value.kind = CallValue::Kind::kLength;
    value.integer = ToInteger(arguments.rtrim(')'));
    value.text = strings.Intern(word.str());
  } else if (word == "keys") {
    value.kind = CallValue::Kind::kKeys;
    value.text = strings.Intern(arguments.rtrim(')').str());
  } else if (!text.getAsInteger(10, value.integer)) {
    value.kind = CallValue::Kind::kInt;
  } else {
    value.kind = CallValue::Kind::kFloat;
    value.integer = 0;
    value.number = std::stod(text.str());
  }
  return value;
}

/// "xs.0" is L['xs'][0], "d.a" is L['d']['a'].
std::string SourceOf(llvm::StringRef name) {
  const auto [base, part] = name.split('.');
  std::string source = "L['" + base.str() + "']";
  if (part.empty()) return source;
  int64_t index = 0;
  return source +
         (part.getAsInteger(10, index) ? "['" + part.str() + "']" : "[" + part.str() + "]");
}

void AddWord(llvm::StringRef word, CallHistoryBuilder& builder, RecordedCall& call, StrId& state) {
  if (word.consume_front("@")) {
    const auto [name, value] = word.split('=');
    if (name == "wrapper") {
      call.wrapper = static_cast<uint16_t>(ToInteger(value));
    } else if (name == "stance") {
      call.stance = llvm::StringSwitch<Stance>(value)
                        .Case("force_eager", Stance::kForceEager)
                        .Case("eager_on_recompile", Stance::kEagerOnRecompile)
                        .Case("fail_on_recompile", Stance::kFailOnRecompile)
                        .Case("eager_then_compile", Stance::kEagerThenCompile)
                        .Default(Stance::kDefault);
    } else {
      state = builder.strings().Intern(name.str());
    }
    return;
  }
  const size_t end = word.find_first_of("[=");
  if (end == llvm::StringRef::npos) Fail("no value: " + word.str());
  const uint32_t source =
      builder.Source(CallHistoryBuilder::kNoParent, SourceOf(word.take_front(end)));
  const llvm::StringRef rest = word.drop_front(end + 1);
  if (word[end] == '=') {
    builder.Set(source, ToValue(rest, builder.strings()));
  } else {
    const auto [sizes, options] = rest.split(']');
    builder.SetTensor(source, ToTensor(sizes, options, builder.strings()));
  }
}

void AddCallTo(llvm::StringRef text, CallHistoryBuilder& builder) {
  RecordedCall call;
  StrId state{};
  for (const llvm::StringRef word : Words(text)) AddWord(word, builder, call, state);
  builder.EndCall(call, state);
}

SourceUse ToUse(llvm::StringRef word) {
  const auto use = llvm::StringSwitch<std::optional<SourceUse>>(word)
                       .Case("unread", SourceUse::kUnread)
                       .Case("tensor", SourceUse::kTensor)
                       .Case("static", SourceUse::kStaticTensor)
                       .Cases("profiled", "int", SourceUse::kProfiled)
                       .Case("constant", SourceUse::kConstant)
                       .Case("length", SourceUse::kLength)
                       .Case("keys", SourceUse::kKeys)
                       .Case("unknown", SourceUse::kUnknown)
                       .Default(std::nullopt);
  if (!use) Fail("no use of a source: " + word.str());
  return *use;
}

/// "y tensor [L['x'].size()[0], 4]", "n int 2*L['n']", "x tensor same L['x']", "n int".
ResumeInput ToResumeInput(llvm::StringRef text, ExprPool& pool) {
  ResumeInput input;
  const auto [name, use_and_rest] = text.split(' ');
  const auto [use, rest] = use_and_rest.split(' ');
  input.source = SourceOf(name);
  input.use = ToUse(use);
  llvm::StringRef value = rest.trim();
  if (value.consume_front("same ")) {
    input.same_as = value.str();
  } else if (std::string_view(value).starts_with("[")) {
    llvm::SmallVector<llvm::StringRef, 4> sizes;
    value.drop_front().drop_back().split(sizes, ',');
    for (const llvm::StringRef size : sizes) input.sizes.push_back(pool.Parse(size.trim().str()));
  } else if (!value.empty()) {
    input.value = pool.Parse(value.str());
  }
  return input;
}

/// The lines between "facts: observed" and "policy:".
class BodyReader {
 public:
  explicit BodyReader(BodyFacts& body) : body_(body) {}

  void Read(llvm::StringRef line) {
    const auto [word, rest] = line.split(' ');
    if (word == "frame") {
      body_.frames.emplace_back().name = rest.str();
      body_.frames.back().knowledge = BodyKnowledge::kObserved;
      return;
    }
    if (body_.frames.empty()) Fail("no frame yet: " + line.str());
    BodyFrame& frame = body_.frames.back();
    if (word == "read") {
      const auto [name, use] = rest.split(' ');
      frame.sources.push_back({SourceOf(name), ToUse(use)});
    } else if (word == "ask") {
      frame.questions.push_back({.predicate = body_.pool->Parse(rest.str()), .file = {}});
    } else if (word == "path") {
      frame.explored.push_back(rest.trim().str());
    } else if (word == "specialize") {
      frame.specialized.push_back({.symbol = body_.pool->Parse(rest.str()), .file = {}});
    } else if (word == "graphs") {
      frame.graphs = static_cast<uint32_t>(ToInteger(rest));
    } else if (word == "input") {
      frame.inputs.push_back(ToResumeInput(rest, *body_.pool));
    } else if (word == "resume") {
      frame.resumes.push_back(static_cast<uint32_t>(ToInteger(rest)));
    } else if (word == "changes-own-guards") {
      frame.changes_own_guards = true;
    } else {
      Fail("no fact: " + line.str());
    }
  }

 private:
  BodyFacts& body_;
};

void ReadCasePolicy(llvm::StringRef text, RuleCase& result) {
  if (text.empty()) return;
  Expected<PolicyChange> change = ParsePolicy(text.str());
  if (!change) Fail(llvm::toString(change.takeError()));
  result.policy = ApplyPolicy(*change, result.policy, result.history).policy;
}

/// One block: a function, "facts:", "policy:", "calls:".
std::unique_ptr<RuleCase> ReadBlock(const std::vector<std::string>& lines) {
  auto result = std::make_unique<RuleCase>();
  CallHistoryBuilder builder(result->history);
  BodyReader body(result->body);
  enum class Part { kCode, kFacts, kCalls } part = Part::kCode;
  std::string policy;
  for (const std::string& text : lines) {
    llvm::StringRef line = llvm::StringRef(text).trim();
    if (line.empty() || (part == Part::kCode && !std::string_view(line).starts_with("facts:")))
      continue;
    if (line.consume_front("facts:")) {
      part = Part::kFacts;
      if (line.trim() != "observed") result->body = BodyOfCategory(line.trim().str());
    } else if (line.consume_front("policy:")) {
      policy = line.trim().str();
    } else if (line == "calls:") {
      part = Part::kCalls;
    } else if (part == Part::kFacts) {
      body.Read(line);
    } else {
      const auto [call, outcome] = line.split("->");
      AddCallTo(call.trim(), builder);
      llvm::StringRef expected = outcome.trim();
      if (expected.consume_front("?") && result->undecided_at > result->expected.size()) {
        result->undecided_at = result->expected.size();
      }
      result->expected.push_back(expected.trim().str());
    }
  }
  builder.Finish();
  ReadCasePolicy(policy, *result);
  return result;
}

}  // namespace

std::vector<std::unique_ptr<RuleCase>> ReadRuleCases(const std::string& path) {
  std::ifstream file(path);
  if (!file) Fail("cannot open " + path);
  std::vector<std::unique_ptr<RuleCase>> cases;
  std::string title;
  std::string line;
  while (std::getline(file, line)) {
    if (line.starts_with("## ")) title = line.substr(3);
    if (line != "```case") continue;
    std::vector<std::string> block;
    while (std::getline(file, line) && line != "```") block.push_back(line);
    cases.push_back(ReadBlock(block));
    cases.back()->name = title;
  }
  return cases;
}

void AddCall(std::string_view text, CallHistory& history) {
  CallHistoryBuilder builder(history);
  AddCallTo(llvm::StringRef(text.data(), text.size()), builder);
}

std::string Describe(const PredictedCall& call) {
  std::ostringstream text;
  const auto add = [&](const std::string& part) {
    text << (text.tellp() == 0 ? "" : ", ") << part;
  };
  if (call.compiled.size() == 1) add("compile");
  if (call.compiled.size() > 1) add("compile " + std::to_string(call.compiled.size()));
  if (call.compiled.empty() && !call.ran.empty()) add("hit");
  for (size_t i = 0; i < call.limits.size(); ++i) add("limit");
  if (call.eager) add("eager");
  if (!call.error.empty()) add("error " + call.error);
  return text.str();
}

}  // namespace shapewise
