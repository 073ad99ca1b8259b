package dev.quire.proxy.fleet;

/**
 * Names an entry, wherever and however often it is in the log.
 *
 * @param node that made it, with its incarnation
 * @param sequence its number among those of the node; of a purge of everything in place of others,
 *     that of the last one, negative
 */
record EntryName(String node, long sequence) {}
