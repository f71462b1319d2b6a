// Shared functions of the tables of builders, renderers and solvers: finding a row by id, and
// creating its object for a device.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/base/near_match.h"
#include "core/device/device.h"

#if defined(TL_HAS_CUDA)
#define TL_CUDA_ONLY(expression) (expression)
#else
#define TL_CUDA_ONLY(expression) nullptr
#endif

namespace tl {

/// The row `id` of a table. Throws UsageError listing the known ids.
template <class Row>
const Row& find_row(const std::vector<Row>& table, const std::string& id, const char* what) {
    std::vector<std::string> ids;
    for (auto& row : table) {
        if (row.id == id) return row;
        ids.push_back(row.id);
    }
    throw UsageError("unknown " + std::string(what) + " '" + id + "'" + known_names(id, ids));
}

/// The ids of the rows that a kind of device can run.
template <class Row>
std::vector<std::string> ids_on(DeviceKind kind, const std::vector<Row>& table) {
    std::vector<std::string> ids;
    for (auto& row : table)
        if (kind == DeviceKind::cuda ? row.make_cuda : row.make_cpu) ids.push_back(row.id);
    return ids;
}

/// Creates the object of row `id` for the device.
template <class Row>
auto make_from_row(const std::vector<Row>& table, const std::string& id, const Device& device,
                   const char* what) {
    auto& row = find_row(table, id, what);
    auto make = device.kind() == DeviceKind::cuda ? row.make_cuda : row.make_cpu;
    if (!make)
        throw UserError(std::string(what) + " '" + id + "' does not run on " +
                        device_id(device.kind()));
    return make();
}

}  // namespace tl
