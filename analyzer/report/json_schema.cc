#include "report/report.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "report/result_json.h"
#include "support/embedded_file.h"
#include "support/nearest_name.h"
#include "support/text_list.h"

namespace shapewise {

std::span<const EmbeddedFile> EmbeddedSchemas();

namespace {

/// The file of definitions that the others refer to.
constexpr std::string_view kCommon = "common";
constexpr std::string_view kCommonReference = "common.json#/$defs/";
constexpr std::string_view kOwnReference = "#/$defs/";

/// "lint" for "analyzer/report/schemas/lint.json".
std::string_view NameOf(std::string_view path) {
  path.remove_prefix(path.rfind('/') + 1);
  return path.substr(0, path.find('.'));
}

/// The schema that the short forms in our files stand for: "fields" is an object (or null) whose
/// members are required unless their names end with '?', "list" an array, "list_of" one of objects.
Json Expanded(const Json& schema) {
  if (!schema.is_structured()) return schema;
  Json whole = schema.is_array() ? Json::array() : Json::object();
  for (const auto& [key, value] : schema.items()) {
    if (schema.is_array()) {
      whole.push_back(Expanded(value));
    } else if (key == "list" || key == "list_of") {
      whole["type"] = "array";
      whole["items"] = Expanded(key == "list" ? value : Json{{"fields", value}});
    } else if (key == "fields" || key == "fields_or_null") {
      Json required = Json::array();
      Json properties = Json::object();
      for (const auto& [name, field] : value.items()) {
        const std::string plain = name.substr(0, name.find('?'));
        if (plain == name) required.push_back(name);
        properties[plain] = Expanded(field);
      }
      whole["type"] = key == "fields" ? Json("object") : Json{"object", "null"};
      if (!required.empty()) whole["required"] = std::move(required);
      whole["properties"] = std::move(properties);
    } else {
      whole[key] = Expanded(value);
    }
  }
  return whole;
}

/// All files, parsed; they are built in, so a damaged one is a build error.
const std::map<std::string, Json, std::less<>>& Files() {
  static const auto* const files = [] {
    auto* read = new std::map<std::string, Json, std::less<>>();
    for (const EmbeddedFile& file : EmbeddedSchemas()) {
      const std::string name(NameOf(file.path));
      Json schema = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                     {"$id", "urn:shapewise:" + name + ":1"}};
      schema.update(Expanded(Json::parse(file.text)));
      read->emplace(name, std::move(schema));
    }
    return read;
  }();
  return *files;
}

/// Replaces references to common definitions by references within the document, and collects their
/// names in `wanted`. `is_common`: `json` is itself a common definition, whose own references are
/// of this kind.
void Localize(Json& json, bool is_common, std::set<std::string>& wanted) {
  if (!json.is_structured()) return;
  for (auto& [key, value] : json.items()) {
    if (key != "$ref" || !value.is_string()) {
      Localize(value, is_common, wanted);
      continue;
    }
    const std::string target = value.get<std::string>();
    for (const std::string_view prefix : {kCommonReference, kOwnReference}) {
      if (!target.starts_with(prefix) || (prefix == kOwnReference && !is_common)) continue;
      const std::string name = target.substr(prefix.size());
      wanted.insert(name);
      value = std::string(kOwnReference) + name;
      break;
    }
  }
}

/// `schema` with all definitions that it refers to.
Json Bundle(Json schema) {
  std::set<std::string> wanted;
  Localize(schema, /*is_common=*/false, wanted);
  const Json& common = Files().find(kCommon)->second.at("$defs");
  Json& definitions = schema["$defs"];
  if (definitions.is_null()) definitions = Json::object();
  std::set<std::string> done;
  while (done.size() < wanted.size()) {
    for (const std::string& name : std::set<std::string>(wanted)) {
      if (!done.insert(name).second) continue;
      Json definition = common.at(name);
      Localize(definition, /*is_common=*/true, wanted);
      definitions[name] = std::move(definition);
    }
  }
  if (definitions.empty()) schema.erase("$defs");
  return schema;
}

}  // namespace

std::span<const SchemaHead> JsonSchemas() {
  static const auto* const heads = [] {
    auto* list = new std::vector<SchemaHead>();
    for (const auto& [name, schema] : Files()) {
      if (name != kCommon) list->push_back({name, schema.at("title").get<std::string>()});
    }
    return list;
  }();
  return *heads;
}

Expected<std::string> JsonSchema(std::string_view name) {
  const auto found = Files().find(name);
  if (found != Files().end() && name != kCommon) return Bundle(found->second).dump(1) + "\n";
  std::vector<std::string_view> names;
  for (const SchemaHead& head : JsonSchemas()) names.push_back(head.name);
  std::string help = DidYouMean(name, names);
  if (help.empty()) help = "; there are " + Joined(names, ", ");
  return MakeError("no JSON result is called '" + std::string(name) + "'" + help);
}

}  // namespace shapewise
