// Formats JSON as text that is safe on a terminal.

#ifndef SHAPEWISE_REPORT_JSON_TEXT_H_
#define SHAPEWISE_REPORT_JSON_TEXT_H_

#include <nlohmann/json.hpp>
#include <string>

namespace shapewise {

/// `value` on one line. Invalid UTF-8 is replaced by U+FFFD, and the control characters U+007F to
/// U+009F, which JSON allows but terminals interpret, are escaped.
std::string JsonText(const nlohmann::ordered_json& value);

}  // namespace shapewise

#endif  // SHAPEWISE_REPORT_JSON_TEXT_H_
