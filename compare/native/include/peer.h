// What a C++ engine must be able to do to take part: a table of functions that native/src/lib.rs calls.
// Lengths in metres, masses in kg; quaternions are x, y, z, w.
#pragma once
#include <cstddef>
#include <cstdint>

struct PeerBody {
    float position[3];
    float rotation[4];
    float velocity[3];
    float spin[3];
    float mass;
    float friction;
    float restitution;
    int32_t kind; // 0 dynamic, 1 fixed, 2 kinematic
    int32_t fast; // whether it must not pass through thin things
    int32_t ghost; // whether it meets nothing
};

struct PeerMotion {
    float position[3];
    float rotation[4];
    float velocity[3];
    float spin[3];
};

// Shapes and worlds live as long as the program.
struct Peer {
    void *(*world)(const float gravity[3], size_t bodies, int32_t threads);
    void *(*box)(const float half[3], float density);
    void *(*sphere)(float radius, float density);
    void *(*capsule)(float half, float radius, float density);
    void *(*hull)(const float *points, size_t count, float density);
    void *(*mesh)(const float *vertices, size_t vertex_count, const uint32_t *triangles, size_t triangle_count);
    void *(*compound)(void *const *shapes, const float *positions, const float *rotations, size_t count);
    // Bodies are numbered in the order in which they are added.
    int32_t (*add)(void *world, void *shape, const PeerBody *body);
    // A ball joint at a point in world coordinates; a negative number stands for the world.
    void (*join)(void *world, int64_t first, int64_t second, const float point[3]);
    void (*start)(void *world);
    void (*step)(void *world, float seconds);
    void (*read)(void *world, size_t body, PeerMotion *motion);
    // How far along the ray something is, as a fraction of its length; negative if nothing is.
    float (*cast)(void *world, const float origin[3], const float way[3]);
    // How many contacts were dropped for want of room.
    int64_t (*dropped)(void *world);
};
