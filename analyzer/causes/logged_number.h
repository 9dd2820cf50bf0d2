// Whether code only reports a number that it reads from a tensor.

#ifndef SHAPEWISE_CAUSES_LOGGED_NUMBER_H_
#define SHAPEWISE_CAUSES_LOGGED_NUMBER_H_

#include <string_view>

namespace shapewise {

/// Whether a function with this name checks values, as its name says: "check_inputs", "_validate".
bool IsCheck(std::string_view function);

/// Whether the line begins with `if`, `elif` or `while`.
bool IsDecision(std::string_view code);

/// Whether a number that the line reads from a tensor goes into a log, a list of results or a dict
/// of metrics: the line shows it, or the name of its function.
bool IsLoggedNumber(std::string_view code, std::string_view function);

/// Whether the line adds to a number that an object keeps, or averages it: "self.total +=
/// n.item()", "self.mean = 0.9 * self.mean + 0.1 * n.item()".
bool AddsToAttribute(std::string_view code);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_LOGGED_NUMBER_H_
