module go-peer

go 1.24
