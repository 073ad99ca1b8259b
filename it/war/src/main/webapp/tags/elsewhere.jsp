<%@ page session="false" contentType="text/html; charset=UTF-8" trimDirectiveWhitespaces="true" %>
<%@ taglib prefix="esi" uri="https://quire.dev/esi" %>
<esi:include src="/a" context="/shop"/><esi:include src="/b" context="/"/><esi:include src="//static.example/c"/><esi:include src="https://static.example/d"/>