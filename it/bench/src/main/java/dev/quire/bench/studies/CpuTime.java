package dev.quire.bench.studies;

import dev.quire.bench.Running;

/**
 * The user and system time of all processes of a server since a moment, per request.
 *
 * @param before their time until that moment, in seconds
 */
record CpuTime(Running server, double before) {

    /** Begins now. */
    static CpuTime of(Running server) {
        return new CpuTime(server, server.cpuSeconds());
    }

    /** Returns the microseconds until now for each of {@code requests}; NaN for 0 requests. */
    double microsPerRequest(long requests) {
        return requests == 0 ? Double.NaN : (server.cpuSeconds() - before) * 1e6 / requests;
    }
}
