// Copies between the memories of two devices.
#pragma once

#include <vector>

#include "core/device/device.h"

namespace tl {

/// Lets each device of a list copy from the memory of the others. Call it once before the first
/// copy_across() between them. Waits for all work of these devices; no other thread may submit work
/// to them during the call. Throws UserError if a device has failed.
void link_devices(const std::vector<Device*>& devices);

/// Copies `bytes` from memory of `source`'s device to memory of `target`'s, in the order of both
/// streams: after earlier work of both, and before later work of both, so that `from` may be freed
/// on its stream afterwards. Call link_devices() with both devices first. Between GPUs the host
/// does not wait, and the data takes their direct connection, if there is one; with the CPU the
/// host waits for the copy. Throws UserError if a device has failed.
void copy_across(Stream& source, const void* from, Stream& target, void* to, std::size_t bytes);

}  // namespace tl
