// Where the checkout is, for tests that read its files.

#ifndef SHAPEWISE_TESTS_SUPPORT_SOURCE_DIR_H_
#define SHAPEWISE_TESTS_SUPPORT_SOURCE_DIR_H_

#include <string>

namespace shapewise {

/// Path of the checkout, without a slash at its end. Only one object file contains it: all others
/// are the same in every checkout, so that a compiler cache serves them.
std::string SourceDir();

}  // namespace shapewise

#endif  // SHAPEWISE_TESTS_SUPPORT_SOURCE_DIR_H_
