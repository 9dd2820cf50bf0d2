#include "dynamo/choose_path.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "shapewise/model/source_ref.h"
#include "shapewise/support/text_scan.h"

namespace shapewise {
namespace {

using Kind = CallValue::Kind;

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// "'sum'" -> "sum"; a string that needs escapes is not compared.
std::optional<std::string_view> ParseString(std::string_view text) {
  if (text.size() < 2 || (text.front() != '\'' && text.front() != '"') ||
      text.back() != text.front() || text.find('\\') != std::string_view::npos) {
    return std::nullopt;
  }
  return text.substr(1, text.size() - 2);
}

class Chooser {
 public:
  Chooser(const CacheEntry& entry, uint32_t frame, const InputRow& row, CallInputs& inputs)
      : entry_(entry),
        number_(frame),
        frame_(inputs.body().frames[frame]),
        row_(row),
        inputs_(inputs) {}

  PathChoice Choose() {
    PathChoice choice;
    for (const BodyQuestion& question : frame_.questions) {
      const std::optional<int64_t> value = inputs_.Evaluate(question.predicate, number_, row_);
      choice.answers += !value ? '?' : *value != 0 ? '1' : '0';
    }
    // Without paths the answers are all that is known.
    choice.are_operators_known = frame_.paths.empty();
    for (size_t path = 0; path < frame_.explored.size(); ++path) {
      bool is_taken = true;
      if (path < frame_.paths.size()) {
        if (!HasConstants(frame_.paths[path])) continue;
        is_taken = HasStaticSizes(frame_.paths[path]);
      }
      bool has_operators = true;
      CompareAnswers(frame_.explored[path], choice.answers, is_taken, has_operators);
      choice.are_operators_known |= has_operators;
      if (is_taken && !choice.path) choice.path = path;
    }
    return choice;
  }

 private:
  void CompareAnswers(const std::string& seen, const std::string& answers, bool& is_taken,
                      bool& has_operators) const {
    for (size_t i = 0; i < seen.size() && i < answers.size(); ++i) {
      if (seen[i] == '-' || seen[i] == answers[i]) continue;
      is_taken = false;
      has_operators &= frame_.questions[i].is_operators;
    }
  }

  /// The value of the input called `name`; null: no call brings it, so it is always the same.
  const InputValue* Find(std::string_view name) const {
    const std::vector<FrameInput>& known = inputs_.InputsOf(number_);
    for (size_t input = 0; input < known.size(); ++input) {
      if (known[input].name == name) return &row_[input];
    }
    return nullptr;
  }

  bool HasConstants(const BodyPath& path) const {
    return std::ranges::all_of(path.constants, [&](const BodyConstant& constant) {
      const SourceRef source = ParseSource(constant.source);
      return IsSize(source) || Holds(source, constant.text);
    });
  }

  static bool IsSize(const SourceRef& source) {
    return source.property == SourceRef::Property::kSize;
  }

  bool Holds(const SourceRef& source, std::string_view text) const {
    const InputValue* const value = Find(source.object);
    if (value == nullptr) return true;
    switch (source.property) {
      case SourceRef::Property::kLength:
        return value->value.kind == Kind::kLength &&
               ParseNumber<int64_t>(text) == value->value.integer;
      case SourceRef::Property::kKeys:
        return value->value.kind == Kind::kKeys && inputs_.TextOf(value->value.text) == text;
      case SourceRef::Property::kValue:
        return IsConstant(value->value, text);
      default:
        return true;
    }
  }

  bool IsConstant(const CallValue& value, std::string_view text) const {
    switch (value.kind) {
      case Kind::kBool:
        return text == (value.integer != 0 ? "True" : "False");
      case Kind::kInt:
        return ParseNumber<int64_t>(text) == value.integer;
      case Kind::kFloat:
        return ParseNumber<double>(text) == value.number;
      case Kind::kNone:
        return text == "None";
      case Kind::kStr:
        return ParseString(text) == inputs_.TextOf(value.text);
      default:
        return false;
    }
  }

  /// Whether the sizes that were constants when the path was traced are the same ones here.
  bool HasStaticSizes(const BodyPath& path) const {
    return std::ranges::all_of(path.constants, [&](const BodyConstant& constant) {
      if (!IsSize(ParseSource(constant.source))) return true;
      const ExprId name = inputs_.body().pool->Symbol(constant.source);
      const CallInputs::Place place = inputs_.PlaceOf(name, number_);
      if (place.property != CallInputs::Place::Property::kSize) return true;
      const auto guard = std::ranges::find(entry_.guards, place.input, &InputGuard::input);
      if (guard == entry_.guards.end() || guard->test != InputGuard::Test::kTensor ||
          place.dim >= guard->symbolic.sizes.size()) {
        return true;
      }
      const SizeTerm& size = guard->symbolic.sizes[place.dim];
      return size.IsConstant() && ParseNumber<int64_t>(constant.text) == size.coefficient;
    });
  }

  const CacheEntry& entry_;
  uint32_t number_;
  const BodyFrame& frame_;
  const InputRow& row_;
  CallInputs& inputs_;
};

}  // namespace

PathChoice ChoosePath(const CacheEntry& entry, uint32_t frame, const InputRow& row,
                      CallInputs& inputs) {
  return Chooser(entry, frame, row, inputs).Choose();
}

}  // namespace shapewise
