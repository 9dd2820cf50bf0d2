// What values of options may be, with messages in our words: CLI11 prints "foo not in {a,b}", and
// for a positive number the limits of double.

#ifndef SHAPEWISE_CLI_VALUE_CHECKS_H_
#define SHAPEWISE_CLI_VALUE_CHECKS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace shapewise {

/// One of `words`.
CLI::Validator OneOf(std::vector<std::string> words);

/// A number from `least` to `most`.
CLI::Validator Between(double least, double most);

/// A number above zero.
CLI::Validator Positive();

/// Zero or a number above it.
CLI::Validator ZeroOrMore();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_VALUE_CHECKS_H_
