// What {subject} and the like stand for in the texts of rules over code.

#ifndef SHAPEWISE_CHECK_CODE_PLACEHOLDERS_H_
#define SHAPEWISE_CHECK_CODE_PLACEHOLDERS_H_

#include <string>
#include <string_view>

#include "shapewise/source/fact.h"
#include "shapewise/source/project.h"
#include "shapewise/support/error.h"

namespace shapewise {

/// `text` with what its placeholders stand for in `fact`; "..." for what the fact does not have.
///
///   {expression}          the code that the fact is about
///   {subject}             the receiver of a call, the base of an index or attribute; else as above
///   {callee}              what is called, as it is written
///   {name}                the same by its full name, Python's own without "builtins."
///   {attribute}           the last part of that name
///   {argument0} ...       an argument as it is written, up to {argument3}
///   {function}, {caller}  "Attention.forward"
std::string FillCodePlaceholders(std::string_view text, const Project& project, const Fact& fact);

/// Whether all placeholders of `text` are known.
Error CheckCodePlaceholders(std::string_view text);

}  // namespace shapewise

#endif  // SHAPEWISE_CHECK_CODE_PLACEHOLDERS_H_
