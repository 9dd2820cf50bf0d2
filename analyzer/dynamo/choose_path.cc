#include "dynamo/compile.h"

#include <algorithm>
#include <string_view>

#include "model/source_ref.h"
#include "support/text_scan.h"

namespace shapewise {
namespace {

using Kind = CallValue::Kind;

/// "'sum'" -> "sum"; a string that needs escapes is not compared.
std::optional<std::string_view> ParseString(std::string_view text) {
  if (text.size() < 2 || (text.front() != '\'' && text.front() != '"') ||
      text.back() != text.front() || text.find('\\') != std::string_view::npos) {
    return std::nullopt;
  }
  return text.substr(1, text.size() - 2);
}

/// "['a', 'b']" -> 2
int64_t CountKeys(std::string_view list) {
  int64_t quotes = 0;
  char quote = 0;
  for (size_t i = 0; i < list.size(); ++i) {
    if (quote != 0 && list[i] == '\\') {
      ++i;
    } else if (quote == 0 ? list[i] == '\'' || list[i] == '"' : list[i] == quote) {
      quote = quote == 0 ? list[i] : '\0';
      ++quotes;
    }
  }
  return quotes / 2;
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
    // Without paths only the answers are known.
    choice.are_operators_known = frame_.paths.empty();
    size_t nearest = 0;  // the number of the test that `mismatch` failed, from 1 on
    const auto note = [&](size_t test, std::string mismatch) {
      if (test <= nearest) return;
      nearest = test;
      choice.mismatch = std::move(mismatch);
    };
    for (size_t path = 0; path < frame_.explored.size(); ++path) {
      if (path < frame_.paths.size()) {
        if (const BodyConstant* other = FindOtherConstant(frame_.paths[path])) {
          note(1, other->source + " was " + other->text);
          continue;
        }
        if (const BodyConstant* number = FindNumberOfSymbol(frame_.paths[path])) {
          note(1, number->source + " was the constant " + number->text);
          continue;
        }
      }
      const BodyConstant* other_size =
          path < frame_.paths.size() ? FindOtherSize(frame_.paths[path]) : nullptr;
      const Comparison comparison = CompareAnswers(frame_.explored[path], choice.answers);
      if (other_size == nullptr || !frame_.paths[path].is_special) {
        choice.are_operators_known |= comparison.has_same_operators;
      }
      if (other_size != nullptr) {
        note(2, other_size->source + " was the constant " + other_size->text);
      } else if (comparison.differing) {
        const size_t question = *comparison.differing;
        note(3, inputs_.body().pool->ToText(frame_.questions[question].predicate) + " was " +
                    (frame_.explored[path][question] == '1' ? "true" : "false"));
      } else if (!choice.path) {
        choice.path = path;
      }
    }
    return choice;
  }

 private:
  struct Comparison {
    std::optional<size_t> differing;  // the first question with another answer
    bool has_same_operators = true;   // whatever differs is asked by operators
  };

  Comparison CompareAnswers(const std::string& seen, const std::string& answers) const {
    Comparison comparison;
    for (size_t i = 0; i < seen.size() && i < answers.size(); ++i) {
      if (seen[i] == '-' || seen[i] == answers[i]) continue;
      if (!comparison.differing) comparison.differing = i;
      comparison.has_same_operators &= frame_.questions[i].is_operators;
    }
    return comparison;
  }

  /// The value of the input called `name`; null: it is not an input of calls, so it never changes.
  const InputValue* Find(std::string_view name) const {
    const std::vector<FrameInput>& known = inputs_.InputsOf(number_);
    for (size_t input = 0; input < known.size(); ++input) {
      if (known[input].name == name) return &row_[input];
    }
    return nullptr;
  }

  /// The first constant of the path that is another one here; null: none is.
  const BodyConstant* FindOtherConstant(const BodyPath& path) const {
    const auto other = std::ranges::find_if(path.constants, [&](const BodyConstant& constant) {
      const SourceRef source = ParseSource(constant.source);
      return !IsSize(source) && !Holds(source, constant.text);
    });
    return other == path.constants.end() ? nullptr : &*other;
  }

  /// The first number that is a symbol here but was a constant when the path was traced, so that
  /// the path does not show what is asked of it; null: all numbers were symbols.
  const BodyConstant* FindNumberOfSymbol(const BodyPath& path) const {
    const auto number = std::ranges::find_if(path.constants, [&](const BodyConstant& constant) {
      const auto guard = std::ranges::find_if(entry_.guards, [&](const InputGuard& each) {
        return inputs_.InputsOf(number_)[each.input].name == constant.source;
      });
      return guard != entry_.guards.end() && guard->test == InputGuard::Test::kSymbolicInt &&
             std::ranges::none_of(frame_.specialized, [&](const SpecializedSize& specialized) {
               return inputs_.body().pool->name(specialized.symbol) == constant.source;
             });
    });
    return number == path.constants.end() ? nullptr : &*number;
  }

  static bool IsSize(const SourceRef& source) {
    return source.property == SourceRef::Property::kSize;
  }

  bool Holds(const SourceRef& source, std::string_view text) const {
    const InputValue* const value = Find(source.object);
    if (value == nullptr) return true;
    switch (source.property) {
      case SourceRef::Property::kLength:
        return LengthOf(value->value) == ParseNumber<int64_t>(text);
      case SourceRef::Property::kKeys:
        return value->value.kind == Kind::kKeys && inputs_.TextOf(value->value.text) == text;
      case SourceRef::Property::kValue:
        return IsConstant(value->value, text);
      default:
        return true;
    }
  }

  /// The length of a container; absent for other values.
  std::optional<int64_t> LengthOf(const CallValue& value) const {
    if (value.kind == Kind::kLength) return value.integer;
    if (value.kind == Kind::kKeys) return CountKeys(inputs_.TextOf(value.text));
    return std::nullopt;
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

  /// The first size that was a constant when the path was traced and has another value here, or is
  /// a symbol; null if all are the same.
  const BodyConstant* FindOtherSize(const BodyPath& path) const {
    const auto other = std::ranges::find_if_not(path.constants, [&](const BodyConstant& constant) {
      if (!IsSize(ParseSource(constant.source))) return true;
      const ExprId name = inputs_.body().pool->Symbol(constant.source);
      const CallInputs::Place place = inputs_.PlaceOf(name, number_);
      if (place.property != CallInputs::Place::Property::kSize) return true;
      const std::optional<SizeTerm> size = entry_.TermAt(place);
      if (!size) return true;
      // What has one size in all calls makes no call miss, whether it is a symbol or not.
      if (inputs_.OnlySize(number_, place.input, place.dim) ==
          ParseNumber<int64_t>(constant.text)) {
        return true;
      }
      return size->IsConstant() && ParseNumber<int64_t>(constant.text) == size->coefficient;
    });
    return other == path.constants.end() ? nullptr : &*other;
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
