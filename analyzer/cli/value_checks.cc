#include "cli/value_checks.h"

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "support/nearest_name.h"

namespace shapewise {
namespace {

std::optional<double> NumberIn(const std::string& text) {
  double number = 0;
  if (llvm::StringRef(text).getAsDouble(number) || std::isnan(number)) return std::nullopt;
  return number;
}

/// A number for which `holds`, or the message that `text` is not `what`.
template <typename Holds>
CLI::Validator NumberThat(Holds holds, std::string what) {
  return {[holds, what = std::move(what)](std::string& text) {
            const std::optional<double> number = NumberIn(text);
            if (number && holds(*number)) return std::string();
            return "'" + text + "' is not " + what;
          },
          ""};
}

/// "4096" for 4096.0, "0.9" for 0.9.
std::string Written(double number) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (number == std::floor(number)) {
    out << static_cast<long long>(number);
  } else {
    out << llvm::StringRef(std::to_string(number)).rtrim('0');
  }
  return text;
}

}  // namespace

CLI::Validator OneOf(std::vector<std::string> words) {
  return {[words = std::move(words)](std::string& text) {
            const std::vector<std::string_view> names(words.begin(), words.end());
            for (const std::string_view name : names) {
              if (name == text) return std::string();
            }
            return "'" + text + "' is not one of " + llvm::join(words, ", ") +
                   DidYouMean(text, names);
          },
          ""};
}

CLI::Validator Between(double least, double most) {
  return NumberThat([least, most](double number) { return number >= least && number <= most; },
                    "a number from " + Written(least) + " to " + Written(most));
}

CLI::Validator Positive() {
  return NumberThat([](double number) { return number > 0 && std::isfinite(number); },
                    "a number above 0");
}

CLI::Validator ZeroOrMore() {
  return NumberThat([](double number) { return number >= 0 && std::isfinite(number); },
                    "0 or a number above it");
}

}  // namespace shapewise
