// Finds the Python part of shapewise.

#ifndef SHAPEWISE_CLI_PYTHON_ENVIRONMENT_H_
#define SHAPEWISE_CLI_PYTHON_ENVIRONMENT_H_

#include <string>

namespace shapewise {

/// The folder of this program.
std::string OwnFolder();

/// The interpreter of the environment where a wheel installed this program, with the package;
/// empty: not installed by a wheel.
std::string OwnPython();

/// The folder of the package in the checkout where this program was built; empty: none, or the
/// program has its own package.
std::string CheckedOutPackage();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_PYTHON_ENVIRONMENT_H_
