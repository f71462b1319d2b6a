// Describes the machine and the session of a benchmark, for its report.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/device/device.h"

namespace tl {

class Session;

/// "direct, with atomics (NVLink)", "direct" or "through host memory".
[[nodiscard]] const char* text_of(const PeerLink& link);
/// Returns {version, commit, host: {threads, os, compiler}, devices: [{id, name, memory_mb, links:
/// [{to, direct, atomics, text}]}]}; the name of the device cpu is the processor's.
[[nodiscard]] nlohmann::ordered_json machine_report();
/// Returns {scene, triangles, spheres, splats, patches, instances, primitives, lights, device,
/// renderer, builder, width, height, seed, settings}.
[[nodiscard]] nlohmann::ordered_json session_report(Session& session);

/// Text of an entry of a JSON object, which owns it.
[[nodiscard]] const char* text_of(const nlohmann::ordered_json& json, const char* key);

/// Checks that the report can be written to `path`, unless that is ""; call before the work. Throws
/// UserError. For "-", printed results go to standard error.
void begin_report(const std::string& path);
/// Text of a report's file.
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);
/// Writes a temporary file and renames it to `path`; "-" is standard output. Throws UserError.
void write_json(const std::string& path, const nlohmann::ordered_json& json);

/// "treelight 0.1.0 (COMMIT)".
[[nodiscard]] std::string program_version();

}  // namespace tl
