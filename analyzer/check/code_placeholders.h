// Values of {subject} and other placeholders in the texts of rules about code.

#ifndef SHAPEWISE_CHECK_CODE_PLACEHOLDERS_H_
#define SHAPEWISE_CHECK_CODE_PLACEHOLDERS_H_

#include <string>
#include <string_view>

#include "source/fact.h"
#include "source/project.h"
#include "support/error.h"

namespace shapewise {

/// `text` with its placeholders replaced by the parts of `fact`; "..." for parts that the fact does
/// not have.
///
///   {expression}          the code that the fact is about
///   {subject}             the receiver of a call, the base of an index or attribute; else as above
///   {callee}              the callee, as written
///   {name}                its full name; builtins without "builtins."
///   {attribute}           the last part of that name
///   {argument0} ...       an argument as written, up to {argument3}
///   {function}, {caller}  "Attention.forward"
std::string FillCodePlaceholders(std::string_view text, const Project& project, const Fact& fact);

/// Whether all placeholders of `text` are known.
Error CheckCodePlaceholders(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_CODE_PLACEHOLDERS_H_
