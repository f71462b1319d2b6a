// Copies between the memories of two devices.
#pragma once

#include <vector>

#include "core/device/device.h"

namespace tl {

/// Lets the devices of a list copy from each other's memory, as copy_across() needs. Waits for
/// their work; no other thread may give them any meanwhile. Throws UserError if a device has
/// failed.
void link_devices(const std::vector<Device*>& devices);

/// Copies `bytes` from memory of `source`'s device to memory of `target`'s, in the order of both
/// streams: after the work given to them before, and before the work given to them from now on.
/// Between GPUs the host does not wait, and the data takes their link, if they have one; where the
/// CPU takes part, the host waits for the copy. link_devices() has been called for both. Throws
/// UserError if a device has failed.
void copy_across(Stream& source, const void* from, Stream& target, void* to, std::size_t bytes);

}  // namespace tl
