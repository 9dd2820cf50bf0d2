// JSON as text that may be shown on a terminal.

#ifndef SHAPEWISE_REPORT_JSON_TEXT_H_
#define SHAPEWISE_REPORT_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

namespace shapewise {

/// `value` on one line. Strings are bytes of the input: U+FFFD stands for what is not UTF-8, and
/// the control characters that JSON lets stand but terminals obey, U+007F to U+009F, are escaped.
std::string JsonText(const nlohmann::ordered_json& value);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_JSON_TEXT_H_
