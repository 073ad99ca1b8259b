package dev.quire.proxy.cache;

/** The accounting of some bytes. */
record Charge(InFlightBudget by, long bytes) {

    static Charge to(InFlightBudget transit, long bytes) {
        transit.charge(bytes);
        return new Charge(transit, bytes);
    }

    void end() {
        by.give(bytes);
    }
}
