// Wordings of messages: their text, with codes for the parts that vary.

#ifndef SHAPEWISE_INGEST_MESSAGES_WORDING_H_
#define SHAPEWISE_INGEST_MESSAGES_WORDING_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace shapewise {

/// Several wordings, each as ReadWording() reads it.
using Wordings = std::vector<std::string_view>;

/// The values matched by the codes of a wording. Views point into the text.
struct WordingValues {
  std::string_view text;               ///< %t
  std::optional<int64_t> count;        ///< %n
  std::optional<double> seconds;       ///< %s
  std::optional<double> gib;           ///< %g
  std::optional<double> expected_gib;  ///< %e
};

/// Removes "0.45" or "4.1e-2", without a sign, from the front of `text`; absent: no number is
/// there.
std::optional<double> ConsumeDecimal(std::string_view& text);

/// Removes `wording` from the front of `text`; false, with `text` in an undefined position, if it
/// does not match. Codes:
///
///   %n, %s, %g, %e   a number such as "1,204,416" or "0.72"
///   %t, %*           anything, up to what follows in the wording, or to the end
///   %w               a word: something that is not blank follows
///   %$               the end
///
/// A blank at the end of a wording may be missing at the end of the text.
bool ReadWording(std::string_view wording, std::string_view& text, WordingValues* values = nullptr);

/// Whether `text` begins with all of `wording`.
inline bool Fits(std::string_view wording, std::string_view text) {
  return ReadWording(wording, text);
}

/// Whether `text` begins with one of `wordings`, separated by '|'.
bool BeginsWithAny(std::string_view text, std::string_view wordings);
bool BeginsWithAny(std::string_view text, const Wordings& wordings);

/// Splits "one|two".
Wordings SplitWordings(std::string_view wordings);

/// The part of `wording` before its first code.
inline std::string_view HeadOf(std::string_view wording) {
  return wording.substr(0, wording.find('%'));
}

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_MESSAGES_WORDING_H_
