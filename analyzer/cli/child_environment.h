// The environment of child processes.

#ifndef SHAPEWISE_CLI_CHILD_ENVIRONMENT_H_
#define SHAPEWISE_CLI_CHILD_ENVIRONMENT_H_

#include <string>
#include <utility>
#include <vector>

namespace shapewise {

/// Our environment with `variables` added, in the form of execve.
std::vector<std::string> EnvironmentWith(
    const std::vector<std::pair<std::string, std::string>>& variables);

/// Pointers to `texts`, as execve takes arguments and variables: a null pointer ends them.
std::vector<char*> PointersTo(std::vector<std::string>& texts);

}  // namespace shapewise

#endif  // SHAPEWISE_CLI_CHILD_ENVIRONMENT_H_
