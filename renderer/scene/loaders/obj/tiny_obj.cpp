// tinyobjloader's own code, which its header holds.
#define TINYOBJLOADER_IMPLEMENTATION
#include <tiny_obj_loader.h>
