// Names of functions as their author knows them.

#ifndef SHAPEWISE_CAUSES_DISPLAY_NAME_H_
#define SHAPEWISE_CAUSES_DISPLAY_NAME_H_

#include <string>
#include <string_view>

#include "model/code_owner.h"
#include "result/finding.h"

namespace shapewise {

/// Whether a frame is a wrapper around the user's module: torch.compile of a module is reported as
/// `inner` in torch/_dynamo/external_utils.py, a Hugging Face model as `wrapper` in
/// transformers/utils/generic.py.
bool IsWrapper(std::string_view function, std::string_view file);

/// Whether the frame `function` in `file` is a wrapper, and `user` the place in the user's own code
/// that it stands for.
bool StandsForUser(std::string_view function, std::string_view file, const Place& user);

/// The name to show for the compiled function at `where`, which called the user's function `user`
/// according to the log: `user.function` for a wrapper, if its file is the user's own; "F (after
/// the break at line N)" for a resume function; else the name as printed.
std::string DisplayFunction(const Place& where, const Place& user);

}  // namespace shapewise

#endif  // SHAPEWISE_CAUSES_DISPLAY_NAME_H_
