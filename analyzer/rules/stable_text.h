// Removes from log texts what changes from run to run.

#ifndef SHAPEWISE_RULES_STABLE_TEXT_H_
#define SHAPEWISE_RULES_STABLE_TEXT_H_

#include <string>
#include <string_view>

namespace shapewise {

/// `text` without addresses, object ids, line numbers, counters of generated code and folders of
/// paths, and as UTF-8:
///
///   <f at 0x7f12ab>                            <f at 0x>
///   ___check_obj_id(x, 139904215237456)        ___check_obj_id(x, )
///   File "/home/a/t.py", line 7                File "t.py", line
///   <eval_with_key>.12                         <eval_with_key>.
///
/// Numbers in names stay: layer_2. Linear.
std::string StableText(std::string_view text);

/// A name of `file` that is the same for everybody: its base name; "<notebook>" for a cell, whose
/// file name differs in each session.
std::string StableFile(std::string_view file);

}  // namespace shapewise

#endif  // SHAPEWISE_RULES_STABLE_TEXT_H_
