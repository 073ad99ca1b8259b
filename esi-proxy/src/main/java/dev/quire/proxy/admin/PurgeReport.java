package dev.quire.proxy.admin;

/**
 * How many stored responses a purge met. One that several conditions meet counts for the first.
 *
 * @param urls met by a URL
 * @param tags met by a tag
 * @param hosts met by a host
 * @param paths met by a path
 */
public record PurgeReport(long urls, long tags, long hosts, long paths) {}
