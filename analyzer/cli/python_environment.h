// Where the Python side of shapewise is, seen from this program.

#ifndef SHAPEWISE_CLI_PYTHON_ENVIRONMENT_H_
#define SHAPEWISE_CLI_PYTHON_ENVIRONMENT_H_

#include <string>

namespace shapewise {

/// The folder of this program.
std::string OwnFolder();

/// The interpreter of the environment that a wheel put this program into, with the package; empty:
/// the program did not come so.
std::string OwnPython();

/// The folder of the package, in a checkout that this program was built in; empty: there is none,
/// or the program came with a package of its own.
std::string CheckedOutPackage();

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_PYTHON_ENVIRONMENT_H_
