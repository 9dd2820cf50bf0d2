// Reads members of JSON written by another program: missing members and those of another type are
// absent.

#ifndef SHAPEWISE_PIPELINE_JSON_MEMBERS_H_
#define SHAPEWISE_PIPELINE_JSON_MEMBERS_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace shapewise {

/// The member `key` of the object `json`; null: not an object, or the member is missing or null.
const nlohmann::json* FindMember(const nlohmann::json& json, const char* key);

/// A text; empty: missing.
std::string TextMember(const nlohmann::json& json, const char* key);

/// A list; empty: missing.
const nlohmann::json& ListMember(const nlohmann::json& json, const char* key);

/// The texts in a list; other elements are skipped.
std::vector<std::string> TextsMember(const nlohmann::json& json, const char* key);

/// The whole numbers in a list; other elements are skipped.
std::vector<int64_t> IntsMember(const nlohmann::json& json, const char* key);

/// A whole number.
std::optional<int64_t> IntMember(const nlohmann::json& json, const char* key);

/// A finite number.
std::optional<double> NumberMember(const nlohmann::json& json, const char* key);

}  // namespace shapewise

#endif  // SHAPEWISE_PIPELINE_JSON_MEMBERS_H_
