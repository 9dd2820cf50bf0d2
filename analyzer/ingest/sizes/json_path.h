// Members of JSON objects by what users call them.

#ifndef SHAPEWISE_INGEST_SIZES_JSON_PATH_H_
#define SHAPEWISE_INGEST_SIZES_JSON_PATH_H_

#include <simdjson.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace shapewise {

/// The member `path` of `object`: a name, or names within each other with dots between; a name that
/// holds dots itself comes first.
std::optional<simdjson::dom::element> MemberAt(simdjson::dom::object object, std::string_view path);

/// Paths of the members that hold a number or a list, in their order, a few levels deep.
std::vector<std::string> CountableMembers(simdjson::dom::object object);

}  // namespace shapewise

#endif  // SHAPEWISE_INGEST_SIZES_JSON_PATH_H_
